// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export/figure_export.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/io/files.h"
#include "widgets/export/figure_formats.h"
#include "widgets/export/figure_layout.h"

namespace fovea::widgets {

namespace {

constexpr double narrowestMm = 10;
constexpr double widestMm = 2000;
constexpr int fewestDpi = 36;
constexpr int mostDpi = 2400;

Result<QByteArray> bytesOf(const FigureLayout& figure, const FigureOptions& options) {
    switch (options.format) {
    case FigureFormat::Svg: return svgBytes(figure);
    case FigureFormat::Pdf: return pdfBytes(figure);
    case FigureFormat::Png: break;
    }
    return pngBytes(figure, options.dpi);
}

}  // namespace

Result<FigureOptions> checked(FigureOptions options) {
    if (!(options.widthMm >= narrowestMm && options.widthMm <= widestMm)) {
        return fail(
            fmt::format("a figure's width is {} to {} mm, not {}", narrowestMm, widestMm, options.widthMm),
            ErrorKind::Usage);
    }
    if (options.dpi < fewestDpi || options.dpi > mostDpi) {
        return fail(fmt::format("a picture has {} to {} dpi, not {}", fewestDpi, mostDpi, options.dpi),
                    ErrorKind::Usage);
    }
    const double pixels = options.widthMm / 25.4 * options.dpi;
    if (options.format == FigureFormat::Png && pixels > 32767) {
        return fail(fmt::format("{} mm at {} dpi are {:.0f} pixels; a picture is at most 32767 wide",
                                options.widthMm, options.dpi, pixels),
                    ErrorKind::Usage);
    }
    return options;
}

Result<FigureFormat> formatOf(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (ending == ".svg") return FigureFormat::Svg;
    if (ending == ".pdf") return FigureFormat::Pdf;
    if (ending == ".png") return FigureFormat::Png;
    return fail(fmt::format("{}: a figure's name ends in .svg, .pdf or .png", path.string()),
                ErrorKind::Usage);
}

Result<void> exportFigure(std::span<const PanelPicture> panels, const Provenances& provenance,
                          const FigureOptions& options, const std::filesystem::path& path) {
    const auto sensible = checked(options);
    if (!sensible) return std::unexpected(sensible.error());
    if (panels.empty())
        return fail(fmt::format("{}: there is no panel to draw", path.string()), ErrorKind::Usage);
    const FigureLayout figure(panels, provenance, *sensible);
    const auto bytes = bytesOf(figure, *sensible);
    if (!bytes) return fail(fmt::format("{}: {}", path.string(), bytes.error().message), bytes.error().kind);
    return io::writeFileAtomically(
        path, std::string_view(bytes->constData(), static_cast<std::size_t>(bytes->size())));
}

QImage renderFigure(std::span<const PanelPicture> panels, const Provenances& provenance,
                    const FigureOptions& options) {
    FigureOptions image = options;
    image.format = FigureFormat::Png;
    if (panels.empty() || !checked(image)) return {};
    return figureImage(FigureLayout(panels, provenance, image), image.dpi).value_or(QImage());
}

}  // namespace fovea::widgets
