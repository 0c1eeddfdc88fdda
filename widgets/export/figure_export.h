// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <filesystem>
#include <span>
#include <vector>

#include "core/support/result.h"
#include "widgets/view_models/panel_picture.h"
#include "widgets/view_models/theme.h"

namespace fovea::widgets {

enum class FigureFormat { Svg, Pdf, Png };

/// Where a figure came from; one caption line.
struct Provenance {
    QString model;     ///< "all-MiniLM-L6-v2 (bert)"
    QString fileHash;  ///< first 12 hex digits of the SHA-256 of the weights file
    QString text;      ///< the input
};

/// Where the sides of a figure came from: one, or two of a comparison, which panels tell by their side.
class Provenances {
public:
    Provenances(Provenance one) : sides_{std::move(one)} {}  // a figure of one side is the usual one
    /// `sides` is not empty.
    explicit Provenances(std::vector<Provenance> sides) : sides_(std::move(sides)) {}

    bool comparing() const { return sides_.size() > 1; }
    const std::vector<Provenance>& sides() const { return sides_; }
    const Provenance& of(const PanelPicture& panel) const {
        return sides_[panel.state.side < sides_.size() ? panel.state.side : 0];
    }

private:
    std::vector<Provenance> sides_;
};

struct FigureOptions {
    FigureFormat format = FigureFormat::Svg;
    double widthMm = 160;
    int dpi = 300;  ///< PNG only
    ThemeKind theme = ThemeKind::Print;
    bool legend = true;
    bool caption = true;
    bool textAsOutlines = false;  ///< SVG only; PDF embeds its fonts
};

/// The options when sizes are sensible (10 to 2000 mm, 36 to 2400 dpi, at most 400 megapixels).
Result<FigureOptions> checked(FigureOptions options);

/// "svg", "pdf" or "png" from the file's ending.
Result<FigureFormat> formatOf(const std::filesystem::path& path);

/// Draws the panels side by side (stacked where too narrow) with chips, read-outs, legend and
/// caption, by the painters of the screen, and writes the file atomically. The same pictures give
/// the same bytes with the same Qt and fonts. Needs a QGuiApplication.
Result<void> exportFigure(std::span<const PanelPicture> panels, const Provenances& provenance,
                          const FigureOptions& options, const std::filesystem::path& path);

/// The same figure as an image, for the clipboard.
QImage renderFigure(std::span<const PanelPicture> panels, const Provenances& provenance,
                    const FigureOptions& options);

/// The numbers behind a figure as CSV, JSON or NPZ, by the file's ending, atomically.
Result<void> exportData(std::span<const PanelPicture> panels, const Provenances& provenance,
                        const std::filesystem::path& path);

}  // namespace fovea::widgets
