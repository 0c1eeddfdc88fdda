// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/trace/trace.h"
#include "widgets/painters/ink.h"

namespace fovea::widgets {

/// One token's place. Its cell is the stretch of the text's axis that stands for [l, l + 1): the box
/// and half of the gaps beside it. `cellStart` is where reading begins: right of `cellEnd` in words that
/// read from right to left.
struct FlowToken {
    QRectF box;
    double cellStart = 0;
    double cellEnd = 0;
    std::size_t line = 0;
    QString text;                ///< elided to its room; empty where the token before shows its character
    QRectF textRoom;             ///< that its text is drawn in the middle of
    bool joinsPrevious = false;  ///< continues a word on the same line
    bool joinsNext = false;
    bool sharesPrevious =
        false;  ///< writes a part of the character that the token before it began, on one line
    bool sharesNext = false;

    bool fromRight() const { return cellEnd < cellStart; }
    /// Its box is a part of one that several tokens write a character into.
    bool shares() const { return sharesPrevious || sharesNext; }
};

/// A part of the tokens that begins a line of its own, below its title.
struct FlowLane {
    std::size_t first = 0;  ///< its first token; the lane reaches to the next one's
    QString title;
};

/// Tokens of one line that stand side by side in reading order, all in one direction. A line has several
/// where directions mix.
struct FlowRun {
    std::size_t first = 0;  ///< tokens [first, past)
    std::size_t past = 0;
    std::size_t line = 0;
};

/// One line of tokens, with the heights of what belongs to it.
struct FlowLine {
    std::size_t first = 0;  ///< tokens [first, past)
    std::size_t past = 0;
    std::size_t lane = 0;
    double top = 0;
    double curveTop = 0;  ///< equal to curveBase where there is no curve
    double curveBase = 0;
    double bracket = 0;  ///< height of the bracket's line
    double numbers = 0;  ///< middle of the row of numbers
    double bottom = 0;
};

/// Tokens wrapped over lines of one width: pure geometry, in logical pixels. Words are kept together where
/// they fit, and so are the tokens of one character, whose boxes touch; a token wider than a line is elided.
/// Within a line tokens stand as readers expect them where scripts of both directions meet. Cost: one
/// measurement per distinct string.
class TokenFlow {
public:
    /// `interval`: leave room for a density curve and a bracket. `lanes` ascend from token 0; without any
    /// all tokens are one lane without a title.
    static TokenFlow arranged(std::span<const TokenLabel> tokens, const PanelFonts& fonts, double width,
                              bool interval, std::vector<FlowLane> lanes = {});

    const std::vector<FlowToken>& tokens() const { return tokens_; }
    const std::vector<FlowLine>& lines() const { return lines_; }
    /// In order of their tokens.
    const std::vector<FlowRun>& runs() const { return runs_; }
    std::span<const FlowRun> runsOf(std::size_t line) const;
    double width() const { return width_; }
    double height() const { return lines_.empty() ? 0 : lines_.back().bottom; }
    /// The text reads from right to left, and so do its lines; lanes have a direction each.
    bool mirrored(std::size_t line) const { return lanes_[lines_[line].lane].mirrored; }
    /// The box of all tokens that write a character with `token`, on its line; its own where it shares none.
    QRectF sharedBox(std::size_t token) const;

    /// A lane's title and where it stands: above its tokens, beside none; empty without a title.
    struct Title {
        QString text;
        QRectF box;
        bool mirrored = false;
    };
    std::vector<Title> titles() const;

    /// Place of `position`, in tokens, on the axis of `run`; [l, l + 1) is linear over l's cell.
    /// Positions before or after the run are held at its ends.
    double xOf(const FlowRun& run, double position) const;
    /// The same of a line: in the run that holds the position.
    double xOf(std::size_t line, double position) const;
    std::optional<std::size_t> tokenAt(QPointF point) const;
    /// The token that stands right (`step` 1) or left (-1) of one; at a line's end the one where reading goes
    /// on, none at the ends of the text.
    std::optional<std::size_t> beside(std::size_t token, int step) const;
    /// Lines that touch heights [top, bottom]: first and past-the-last.
    std::pair<std::size_t, std::size_t> linesWithin(double top, double bottom) const;

private:
    friend class FlowLayout;

    /// A lane in place.
    struct Lane {
        FlowLane what;
        double top = 0;
        double titleHeight = 0;
        bool mirrored = false;
    };

    std::vector<FlowToken> tokens_;
    std::vector<FlowLine> lines_;
    std::vector<FlowRun> runs_;
    std::vector<Lane> lanes_;
    double width_ = 0;
};

}  // namespace fovea::widgets
