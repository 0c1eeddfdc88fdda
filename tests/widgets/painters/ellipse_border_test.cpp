// SPDX-License-Identifier: GPL-3.0-or-later
// The drawn border of an ellipse, read back from pixels, SVG and PDF, against its equation.
#include <gtest/gtest.h>

#include <QBuffer>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string_view>

#include "tests/widgets/sample_pictures.h"
#include "widgets/painters/ellipse_drawing.h"
#include "widgets/painters/image_panel.h"

namespace fovea::widgets {

namespace {

struct Case {
    const char* name;
    std::array<double, 5> shape;  // x, y, xx, xy, yy in shares of the sides
    double zoom;
};

const std::vector<Case> cases = {
    {"round", {0.5, 0.5, 0.04, 0, 0.04}, 1},         {"tilted", {0.45, 0.55, 0.03, 0.02, 0.05}, 1},
    {"narrow", {0.5, 0.5, 0.09, 0.0, 0.0004}, 1},    {"tiny", {0.52, 0.47, 0.0004, 0.0001, 0.0009}, 1},
    {"across the edge", {0.95, 0.5, 0.04, 0.01, 0.03}, 1}, {"zoomed", {0.5, 0.5, 0.03, 0.01, 0.02}, 3},
    {"zoomed far", {0.5, 0.5, 0.0004, 0.0001, 0.0003}, 20}};

/// A photograph without edges and an ellipse alone on it.
std::unique_ptr<ImagePanel> panelOf(const Case& of, double width) {
    const auto trace = test::pictureTrace(6, 9);
    PanelPicture picture = test::imagePicture(trace, test::samplePhoto(1, 1, 6, 9, {0, 0, 1, 1}),
                                              std::vector<double>(55, 0.0), 0);
    auto photo = std::make_shared<image::PreparedPicture>(*test::samplePhoto(90, 60, 6, 9));
    auto black = std::make_shared<image::RgbImage>(*photo->original);
    std::fill(black->pixels.begin(), black->pixels.end(), std::uint8_t{0});
    photo->original = std::move(black);
    picture.photo = std::move(photo);
    const auto& [x, y, xx, xy, yy] = of.shape;
    session::EllipseEvaluation ellipse = test::ellipseWith(x, y, xx, xy, yy, true);
    ellipse.half.minor = 0;  // not drawn
    auto panel =
        std::make_unique<ImagePanel>(test::withEllipses(picture, {ellipse}), test::themeOf(ThemeKind::Light));
    panel->setLens({of.zoom, QPointF(x, y)});
    panel->layout(width);
    return panel;
}

/// Distance, in panel units, of a point from the border of the case's ellipse; huge beyond `reach`, which
/// is less than the ellipse is wide there.
double distanceFromBorder(const Case& of, const PictureGeometry& geometry, QPointF point, double reach) {
    const auto& [x, y, xx, xy, yy] = of.shape;
    const double determinant = xx * yy - xy * xy;
    const auto value = [&](QPointF at) {
        const QPointF unit = geometry.panelToUnit(at);
        const double dx = unit.x() - x;
        const double dy = unit.y() - y;
        return (yy * dx * dx - 2 * xy * dx * dy + xx * dy * dy) / determinant - 1;
    };
    // Along the normal: the border's value changes by its gradient a unit; bisection from there.
    constexpr double step = 1e-4;
    const QPointF gradient((value(point + QPointF(step, 0)) - value(point - QPointF(step, 0))) / (2 * step),
                           (value(point + QPointF(0, step)) - value(point - QPointF(0, step))) / (2 * step));
    const double length = std::hypot(gradient.x(), gradient.y());
    const QPointF normal = gradient / length;
    double low = -reach, high = reach;
    if (value(point + normal * low) > 0 || value(point + normal * high) < 0) return 1e9;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (value(point + normal * middle) < 0 ? low : high) = middle;
    }
    return std::abs(low);
}

bool isEllipseColour(QRgb pixel) { return qRed(pixel) > 200 && qGreen(pixel) > 130 && qBlue(pixel) < 60; }

/// Numbers in a text, in order.
std::vector<double> numbersIn(const QString& text) {
    std::vector<double> numbers;
    static const QRegularExpression number(QStringLiteral("-?[0-9]*\\.?[0-9]+(e-?[0-9]+)?"));
    auto matches = number.globalMatch(text);
    while (matches.hasNext()) numbers.push_back(matches.next().captured().toDouble());
    return numbers;
}

void expectOnBorder(const Case& of, const PictureGeometry& geometry, const std::vector<QPointF>& points,
                    double tolerance) {
    double furthest = 0;
    QPointF where;
    for (const QPointF& point : points) {
        const double distance = distanceFromBorder(of, geometry, point, 0.25);
        if (distance > furthest) where = point;
        furthest = std::max(furthest, distance);
    }
    EXPECT_LE(furthest, tolerance) << of.name << " at " << where.x() << ", " << where.y();
}

}  // namespace

TEST(EllipseBorder, pixels_of_the_line_lie_on_the_border_at_any_zoom_and_resolution) {
    for (const Case& of : cases) {
        // Its flanks are closer together than a line is wide; its path is read below.
        if (std::string_view(of.name) == "narrow") continue;
        for (const double width : {220.0, 640.0}) {
            for (const double perUnit : {1.0, 2.0, 3.125}) {
                const auto owner = panelOf(of, width);
        const ImagePanel& panel = *owner;
                const QRectF window = panel.geometry().window();
                QImage image(static_cast<int>(width * perUnit),
                             static_cast<int>((window.bottom() + 3) * perUnit), QImage::Format_RGB32);
                image.fill(Qt::white);
                QPainter painter(&image);
                painter.scale(perUnit, perUnit);
                panel.paint(painter, QRectF(0, 0, width, window.bottom() + 3));
                painter.end();
                const QPointF centre = panel.geometry().unitToPanel({of.shape[0], of.shape[1]});
                // The line's middle on rays from the centre: where its colour begins and ends, halved.
                int read = 0;
                for (int ray = 0; ray < 360; ray += 3) {
                    const QPointF way(std::cos(ray * std::numbers::pi / 180),
                                      std::sin(ray * std::numbers::pi / 180));
                    double first = -1, last = -1;
                    for (double reach = 9; reach < 900; reach += 0.1) {
                        const QPointF at = centre + way * reach;
                        if (!window.adjusted(4, 4, -4, -4).contains(at)) {
                            if (reach - last < 3) first = -1;  // the window's edge cuts the line
                            break;
                        }
                        const QPoint pixel(static_cast<int>(std::floor(at.x() * perUnit)),
                                           static_cast<int>(std::floor(at.y() * perUnit)));
                        if (!isEllipseColour(image.pixel(pixel))) {
                            // A ray may graze the corner of a paler pixel.
                            if (first >= 0 && reach - last > 1.5) break;
                            continue;
                        }
                        if (first < 0) first = reach;
                        last = reach;
                    }
                    if (first < 0 || last < 0 || last - first > 6) continue;  // along a flank, no middle
                    ++read;
                    const double off =
                        distanceFromBorder(of, panel.geometry(), centre + way * (first + last) / 2, 2);
                    EXPECT_LE(off, 0.5) << of.name << " at " << ray << " degrees, " << perUnit;
                }
                const bool small = std::string_view(of.name) == "tiny";
                EXPECT_TRUE(small || read >= 6) << of.name << ' ' << read;
            }
        }
    }
}

TEST(EllipseBorder, the_path_in_an_svg_satisfies_the_equation) {
    for (const Case& of : cases) {
        const auto owner = panelOf(of, 500);
        const ImagePanel& panel = *owner;
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        QPainter painter(&generator);
        panel.paint(painter, QRectF(0, 0, 500, 2000));
        painter.end();
        // Groups carry the pen; the line is the one of the ellipse's colour with more than a cross.
        const QString svg = QString::fromUtf8(buffer.data());
        std::vector<QPointF> points;
        for (const QString& group : svg.split(QStringLiteral("<g "))) {
            if (!group.contains(QStringLiteral("stroke=\"#ffb000\""))) continue;
            static const QRegularExpression path(QStringLiteral("(?:points| d)=\"([^\"]+)\""));
            auto matches = path.globalMatch(group);
            while (matches.hasNext()) {
                const std::vector<double> numbers = numbersIn(matches.next().captured(1));
                for (std::size_t i = 0; numbers.size() > 8 && i + 1 < numbers.size(); i += 2)
                    points.emplace_back(numbers[i], numbers[i + 1]);
            }
        }
        ASSERT_GT(points.size(), 20U) << of.name;
        expectOnBorder(of, panel.geometry(), points, 0.05);
    }
}

TEST(EllipseBorder, the_path_in_a_pdf_satisfies_the_equation) {
    for (const Case& of : cases) {
        const auto owner = panelOf(of, 500);
        const ImagePanel& panel = *owner;
        const double height = panel.geometry().window().bottom() + 3;
        constexpr double perUnit = 1200.0 / 96;
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        {
            QPdfWriter writer(&buffer);
            writer.setResolution(1200);
            writer.setPageSize(
                QPageSize(QSizeF(500, height) * 0.75, QPageSize::Point, QString(), QPageSize::ExactMatch));
            writer.setPageMargins(QMarginsF(0, 0, 0, 0));
            QPainter painter(&writer);
            painter.scale(perUnit, perUnit);
            panel.paint(painter, QRectF(0, 0, 500, height));
        }
        // The page's own stream: paths in device pixels under the matrix in force, strokes by colour.
        const QByteArray pdf = buffer.data();
        QByteArray page;
        for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 7)) {
            const qsizetype start = at + 7;
            const qsizetype end = pdf.indexOf("endstream", start);
            const auto length = static_cast<quint32>(1 << 24);
            QByteArray packed;
            for (int shift = 24; shift >= 0; shift -= 8) packed.append(static_cast<char>(length >> shift));
            packed += pdf.mid(start, end - start);
            const QByteArray text = qUncompress(packed);
            if (text.contains(" m\n") && text.contains(" l\n")) page += text;
        }
        ASSERT_FALSE(page.isEmpty()) << of.name;
        // Pages are whole points high.
        static const QRegularExpression box(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)"));
        const double pageHeight = box.match(QString::fromLatin1(pdf)).captured(2).toDouble();
        ASSERT_GT(pageHeight, 0);
        std::vector<QPointF> points;
        std::vector<QPointF> path;
        std::vector<double> operands;
        std::vector<QTransform> stack{QTransform()};
        bool ours = false;
        for (const QByteArray& word : page.simplified().split(' ')) {
            bool isNumber = false;
            const double number = word.toDouble(&isNumber);
            if (isNumber) {
                operands.push_back(number);
                continue;
            }
            if (word == "q") stack.push_back(stack.back());
            if (word == "Q" && stack.size() > 1) stack.pop_back();
            if (word == "cm" && operands.size() >= 6) {
                const double* m = operands.data() + operands.size() - 6;
                stack.back() = QTransform(m[0], m[1], m[2], m[3], m[4], m[5]) * stack.back();
            }
            if (word == "SCN" && operands.size() >= 3) {
                const double* c = operands.data() + operands.size() - 3;
                ours = std::abs(c[0] - 1) < 0.01 && std::abs(c[1] - 0xb0 / 255.0) < 0.01 && c[2] < 0.01;
            }
            if ((word == "m" || word == "l") && operands.size() >= 2) {
                if (word == "m") path.clear();
                const QPointF inPoints =
                    stack.back().map(QPointF(operands[operands.size() - 2], operands.back()));
                path.emplace_back(inPoints.x() / 0.75, (pageHeight - inPoints.y()) / 0.75);
            }
            if ((word == "S" || word == "s") && ours && path.size() > 8)
                points.insert(points.end(), path.begin(), path.end());
            operands.clear();
        }
        ASSERT_GT(points.size(), 20U) << of.name;
        expectOnBorder(of, panel.geometry(), points, 0.1);
    }
}

TEST(EllipsePolygon, is_empty_for_what_has_no_area_or_is_not_finite) {
    const auto owner = panelOf(cases.front(), 300);
        const ImagePanel& panel = *owner;
    Ellipse ellipse;
    EXPECT_TRUE(ellipsePolygon(ellipse, panel.geometry(), 0.05).isEmpty());
    ellipse.major = std::nan("");
    ellipse.minor = 1;
    EXPECT_TRUE(ellipsePolygon(ellipse, panel.geometry(), 0.05).isEmpty());
}

TEST(Clipped, keeps_what_is_inside_and_cuts_at_the_border) {
    const QRectF box(0, 0, 10, 10);
    const auto inside = clipped(outlineOf({2, 2, 3, 3}), box);
    ASSERT_EQ(inside.size(), 1U);
    EXPECT_EQ(inside[0], outlineOf({2, 2, 3, 3}));
    EXPECT_TRUE(clipped(outlineOf({12, 2, 3, 3}), box).empty());
    const auto crossing = clipped(outlineOf({5, 5, 30, 30}), box);
    ASSERT_EQ(crossing.size(), 1U);
    EXPECT_EQ(crossing[0], QPolygonF({{5, 10}, {5, 5}, {10, 5}}));
    const auto through = clipped(QPolygonF({{-5, 5}, {15, 5}, {15, 8}, {-5, 8}}), box);
    ASSERT_EQ(through.size(), 2U);
    EXPECT_EQ(through[1], QPolygonF({{10, 8}, {0, 8}}));
}

}  // namespace fovea::widgets
