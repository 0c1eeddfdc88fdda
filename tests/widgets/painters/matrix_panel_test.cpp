// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/matrix_panel.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <limits>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

using session::MatrixEvaluation;
using session::WeightState;

PanelPicture withStates() {
    PanelPicture picture = test::causalPicture(test::sentence(), 11);
    auto matrix = std::make_shared<MatrixEvaluation>(*picture.matrix);
    for (std::size_t k = 0; k < 17; ++k) {
        matrix->states[5 * 17 + k] = WeightState::Masked;
        matrix->weights[5 * 17 + k] = 0;
        matrix->states[7 * 17 + k] = WeightState::NotANumber;
        matrix->weights[7 * 17 + k] = std::numeric_limits<float>::quiet_NaN();
    }
    matrix->rowStates[5] = RowState::Empty;
    matrix->rowStates[7] = RowState::Invalid;
    picture.matrix = std::move(matrix);
    return picture;
}

MatrixEvaluation oneOfEach() {
    MatrixEvaluation matrix;
    matrix.queries = matrix.keys = 2;
    matrix.weights = {1e-6F, 0, 0, std::numeric_limits<float>::quiet_NaN()};
    matrix.states = {WeightState::Positive, WeightState::ExactZero, WeightState::Masked,
                     WeightState::NotANumber};
    matrix.rowStates = {RowState::Ok, RowState::Ok};
    return matrix;
}

}  // namespace

TEST(MatrixRaster, colours_the_four_states_differently_at_any_size) {
    const MatrixEvaluation matrix = oneOfEach();
    const WeightScale scale(session::ColourScale::Linear, 1);
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::Print}) {
        for (const int pixels : {1, 3, 8, 40}) {
            const QImage image = matrixRaster(matrix, scale, test::themeOf(kind), {2, 2, pixels, 4});
            std::vector<QImage> cells;
            for (int cell = 0; cell < 4; ++cell) {
                cells.push_back(image.copy(cell % 2 * pixels, cell / 2 * pixels, pixels, pixels));
                for (int other = 0; other < cell; ++other) {
                    EXPECT_NE(cells[static_cast<std::size_t>(cell)], cells[static_cast<std::size_t>(other)])
                        << cell << ' ' << other << " at " << pixels;
                }
            }
        }
    }
}

TEST(MatrixRaster, puts_each_cell_where_its_query_and_key_are) {
    const PanelPicture picture = test::causalPicture(test::sentence(), 3);
    const WeightScale scale(session::ColourScale::SquareRoot, picture.largestWeight);
    const Theme theme = test::themeOf(ThemeKind::Light);
    const QImage image = matrixRaster(*picture.matrix, scale, theme, {17, 17, 3, 4});
    ASSERT_EQ(image.size(), QSize(51, 51));
    for (int query = 0; query < 17; ++query) {
        for (int key = 0; key < 17; ++key) {
            const std::size_t at = static_cast<std::size_t>(query * 17 + key);
            const QColor found = image.pixelColor(key * 3 + 1, query * 3 + 1);
            if (picture.matrix->states[at] == WeightState::Positive) {
                const double position = scale.position(static_cast<double>(picture.matrix->weights[at]));
                EXPECT_EQ(found, viridis(position));
            } else {
                EXPECT_EQ(found, picture.matrix->states[at] == WeightState::Masked ? maskedShade(theme)
                                                                                   : theme.emptyCell);
            }
        }
    }
}

TEST(MatrixRaster, a_lone_bright_cell_survives_pooling) {
    MatrixEvaluation matrix;
    matrix.queries = matrix.keys = 1000;
    matrix.weights.assign(1000 * 1000, 0);
    matrix.states.assign(1000 * 1000, WeightState::ExactZero);
    matrix.rowStates.assign(1000, RowState::Ok);
    const std::size_t at = 537 * 1000 + 211;
    matrix.weights[at] = 1;
    matrix.states[at] = WeightState::Positive;
    const WeightScale scale(session::ColourScale::Linear, 1);
    const QImage image = matrixRaster(matrix, scale, test::themeOf(ThemeKind::Light), {90, 90, 1, 4});
    EXPECT_EQ(image.pixelColor(211 * 90 / 1000, 537 * 90 / 1000), viridis(1));
}

TEST(MatrixRaster, stays_within_the_largest_image) {
    for (const std::size_t cells : {1U, 17U, 128U, 4000U, 32000U}) {
        for (const double pixels : {0.01, 0.6, 1.0, 12.0, 900.0}) {
            const RasterSize size = rasterFor(cells, cells, pixels, 1);
            EXPECT_GE(size.rows, 1);
            EXPECT_LE(size.rows * size.cellPixels, 4096);
            EXPECT_LE(static_cast<std::size_t>(size.rows), cells);
        }
        EXPECT_LE(rasterForVectorFile(cells, cells, 2).rows * rasterForVectorFile(cells, cells, 2).cellPixels,
                  4096);
    }
}

TEST(MatrixPanel, hit_inverts_box_of) {
    const auto painter = makePanelPainter(withStates(), test::themeOf(ThemeKind::Light));
    for (const double width : {60.0, 200.0, 501.0, 1200.0}) {
        painter->layout(width);
        for (std::size_t query = 0; query < 17; ++query) {
            const QRectF row = painter->boxOf(query);
            for (std::size_t key = 0; key < 17; ++key) {
                const PanelHit hit = painter->hit(
                    {row.left() + (static_cast<double>(key) + 0.5) * row.width() / 17, row.center().y()});
                EXPECT_EQ(hit.query, QueryIndex(query));
                EXPECT_EQ(hit.key, KeyIndex(key));
            }
        }
        EXPECT_TRUE(painter->boxOf(17).isEmpty());
        EXPECT_FALSE(painter->hit({-3, 20}).query);
    }
}

TEST(MatrixPanel, painting_in_tiles_equals_painting_at_once) {
    const Theme theme = test::themeOf(ThemeKind::Light);
    for (const PanelPicture& picture : {withStates(), test::causalPicture(test::longText(128), 60)}) {
        const QImage whole = test::rendered(picture, theme, 420);
        for (const int cut : {5, 66, 97, 200}) {
            const QRectF above(0, 0, 420, cut);
            const QRectF below(0, cut, 420, whole.height() - cut);
            EXPECT_TRUE(test::nearlyEqual(test::rendered(picture, theme, 420, 0, above).copy(above.toRect()),
                                          whole.copy(above.toRect())));
            EXPECT_TRUE(test::nearlyEqual(test::rendered(picture, theme, 420, 0, below).copy(below.toRect()),
                                          whole.copy(below.toRect())));
        }
    }
}

TEST(MatrixPanel, draws_nothing_outside_its_rectangle) {
    constexpr int margin = 20;
    const Theme theme = test::themeOf(ThemeKind::Dark);
    for (const double width : {20.0, 100.0, 420.0, 1100.0}) {
        const QImage image = test::rendered(withStates(), theme, width, margin);
        const QRect inside = image.rect().adjusted(margin, margin, -margin, -margin);
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (!inside.contains(x, y)) {
                    ASSERT_EQ(image.pixel(x, y), theme.background.rgb()) << x << ',' << y << " at " << width;
                }
            }
        }
    }
}

TEST(MatrixPanel, is_one_image_in_vector_files_however_many_cells) {
    for (const std::size_t tokens : {17U, 300U}) {
        const auto painter =
            makePanelPainter(test::causalPicture(test::longText(tokens), 4), test::themeOf(ThemeKind::Print));
        const double height = painter->layout(400);
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        QPainter on(&generator);
        painter->paint(on, QRectF(0, 0, 400, height));
        on.end();
        EXPECT_EQ(buffer.data().count("<image"), 1);
        EXPECT_EQ(buffer.data().count("data:image/png;base64,"), 1);
        EXPECT_LT(buffer.data().count("<path"), 60);
    }
}

TEST(MatrixPanel, marks_empty_and_invalid_rows_in_the_margin) {
    const Theme theme = test::themeOf(ThemeKind::Light);
    const PanelPicture picture = withStates();
    const auto painter = makePanelPainter(picture, theme);
    painter->layout(420);
    const QImage image = test::rendered(picture, theme, 420);
    const auto margin = [&](std::size_t row) {
        const QRectF box = painter->boxOf(row);
        return image.copy(QRectF(box.left() - 11, box.top(), 9, box.height()).toRect());
    };
    EXPECT_NE(margin(5), margin(3));
    EXPECT_NE(margin(7), margin(3));
    EXPECT_NE(margin(7), margin(5));
}

TEST(MatrixPanel, a_matrix_that_does_not_fit_its_tokens_is_a_message) {
    PanelPicture picture = withStates();
    picture.trace = test::traceOf({"one", "two"});
    const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    painter->layout(300);
    EXPECT_TRUE(painter->boxOf(0).isEmpty());
}

}  // namespace fovea::widgets
