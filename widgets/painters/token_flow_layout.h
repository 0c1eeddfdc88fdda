// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <cstdint>
#include <span>
#include <vector>

#include "widgets/painters/token_flow.h"

namespace fovea::widgets {

/// Height of the strip below a character that several tokens write, in which each of them has its part.
constexpr double sharedStrip = 6;

/// Arranges the tokens of a flow. Private to TokenFlow.
class FlowLayout {
public:
    FlowLayout(TokenFlow& flow, std::span<const TokenLabel> labels, const PanelFonts& fonts, bool interval);
    void arrange();

private:
    /// Tokens that stay together: one, or all that write a character.
    struct Unit {
        std::size_t first = 0;
        std::size_t past = 0;
        QString text;
        bool special = false;
        bool space = false;  ///< white space that is a token of its own
        bool joins = false;      ///< no gap to the unit before
        bool joinsLetters = false;  ///< and its letters go on from it
        bool breaks = true;      ///< may begin a line
        std::uint8_t level = 0;  ///< odd: reads from right to left

        std::size_t size() const { return past - first; }
    };
    struct Extent {
        double width = 0;
        double inkUp = 0;  ///< from the base line
        double inkDown = 0;
    };
    struct Heights {
        double curve = 0;
        double aboveBox = 0;
        double box = 0;
        double bracket = 0;
        double numbers = 0;
        double gap = 0;
        double title = 0;
    };

    void gatherUnits();
    void joinUnits();
    void findDirections();
    void findLevels(std::size_t firstUnit, std::size_t pastUnit, bool fromRight);
    void measureUnit(std::size_t index);
    void measureShared(const Unit& unit, double wanted);
    void measureApart(const Unit& unit);
    void breakLines();
    void placeLine(std::size_t line);
    void placeCells(std::span<const std::size_t> order, std::span<const double> gaps, bool mirrored);
    void addRuns(std::size_t line, std::span<const std::size_t> places);
    void joinOnLine(std::span<const std::size_t> places, std::size_t first);
    void placeTexts(std::size_t line);
    void stackLines();

    Heights heights() const;
    double gapBefore(std::size_t token) const;
    bool beginsLane(std::size_t token) const;
    std::size_t weightOf(const Unit& unit, std::size_t token) const;
    const Extent& extentOf(const QString& text);
    double lineWidth() const;
    /// Units of a lane.
    std::pair<std::size_t, std::size_t> unitsOf(std::size_t lane) const;

    TokenFlow& flow_;
    std::span<const TokenLabel> labels_;
    const PanelFonts& fonts_;
    bool interval_ = false;
    std::vector<Unit> units_;
    std::vector<std::size_t> unitOf_;  ///< by token
    std::vector<double> widths_;       ///< by token
    QHash<QString, Extent> extents_;
    double narrowest_ = 0;
    double halfInk_ = 0;  ///< the largest height of ink from the middle of a line
};

}  // namespace fovea::widgets
