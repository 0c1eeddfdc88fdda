// SPDX-License-Identifier: GPL-3.0-or-later
// Two texts in one panel: the texts of a pair, and a source below which its target stands.
#include <gtest/gtest.h>

#include <set>

#include "tests/widgets/sample_pictures.h"
#include "widgets/painters/cross_text_panel.h"
#include "widgets/painters/legend.h"
#include "widgets/painters/matrix_panel.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {

using Words = std::vector<std::string>;

const std::vector<double> widths{24, 80, 190, 420, 1400};

std::vector<std::shared_ptr<const Trace>> pairs() {
    Words many;
    for (int i = 0; i < 40; ++i) many.push_back(i % 3 ? "words" : "##ing");
    return {test::pairTrace({"Wer", "kommt", "?"}, {"Anna", "kommt", "morgen", "##s"}),
            test::pairTrace(many, {"ja"}), test::pairTrace({"nein"}, many),
            test::pairTrace({"a", "pair"}, {"\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd"})};
}

PanelPicture pairPicture(const std::shared_ptr<const Trace>& trace, bool density) {
    const std::size_t count = trace->tokens.size();
    const auto picture = test::rowPicture(trace, test::someWeights(count, 2), 2);
    return density ? test::withParabola(picture, 3, static_cast<double>(count)) : picture;
}

PanelPicture crossPicture(bool density, std::size_t query = 2) {
    const auto trace = test::crossTrace({"Das", "ist", "ein", "sehr", "altes", "Haus", "##.", "[EOS]"},
                                        {"This", "is", "a", "very", "old", "house", "##.", "[EOS]"});
    const auto picture = test::rowPicture(trace, test::someWeights(8, 4), query);
    return density ? test::withParabola(picture, 4, 2.5) : picture;
}

}  // namespace

TEST(PairLanes, every_token_stands_in_exactly_one_lane_and_none_overlaps_another_or_a_title) {
    for (const auto& trace : pairs()) {
        const std::size_t second = secondTextOf(trace->tokens);
        ASSERT_GT(second, 0U);
        for (const double width : widths) {
            for (const bool density : {false, true}) {
                TextPanel panel(pairPicture(trace, density), test::themeOf(ThemeKind::Light));
                panel.layout(width);
                const TokenFlow& flow = panel.flow();
                std::size_t next = 0;
                for (const FlowLine& line : flow.lines()) {
                    EXPECT_EQ(line.first, next);
                    next = line.past;
                    EXPECT_EQ(line.lane, line.first < second ? 0U : 1U);
                    EXPECT_TRUE(line.past <= second || line.first >= second);
                }
                EXPECT_EQ(next, trace->tokens.size());
                ASSERT_EQ(flow.titles().size(), 2U);
                for (std::size_t i = 0; i < flow.tokens().size(); ++i) {
                    const QRectF box = flow.tokens()[i].box;
                    for (std::size_t j = 0; j < i; ++j) ASSERT_FALSE(box.intersects(flow.tokens()[j].box));
                    for (const auto& title : flow.titles()) ASSERT_FALSE(box.intersects(title.box));
                    EXPECT_EQ(panel.hit(box.center()).key, KeyIndex(i));
                }
                for (const auto& title : flow.titles()) EXPECT_FALSE(panel.hit(title.box.center()).key);
            }
        }
    }
}

TEST(PairLanes, special_tokens_stay_with_the_text_they_follow) {
    const auto trace = test::pairTrace({"one"}, {"two"});
    EXPECT_EQ(secondTextOf(trace->tokens), 3U);  // [CLS] one [SEP] | two [SEP]
    EXPECT_EQ(secondTextOf(test::sentence()->tokens), 0U);
    auto mixed = *trace;
    std::swap(mixed.tokens[1], mixed.tokens[3]);
    EXPECT_EQ(secondTextOf(mixed.tokens), 0U) << "texts that are mixed are one lane";
}

TEST(PairLanes, each_text_has_its_own_direction) {
    TextPanel panel(pairPicture(pairs().back(), true), test::themeOf(ThemeKind::Light));
    panel.layout(420);
    EXPECT_FALSE(panel.flow().mirrored(0));
    EXPECT_TRUE(panel.flow().mirrored(panel.flow().lines().size() - 1));
    // Both begin at their own side.
    EXPECT_LT(panel.boxOf(0).left(), 10);
    EXPECT_GT(panel.boxOf(secondTextOf(pairs().back()->tokens)).right(), 410);
}

TEST(PairLanes, a_matrix_is_cut_where_the_second_text_begins) {
    const auto trace = test::pairTrace({"one", "two"}, {"three"});
    const auto plain = test::traceOf({"[CLS]", "one", "two", "[SEP]", "three", "[SEP]"});
    const Theme theme = test::themeOf(ThemeKind::Light);
    EXPECT_NE(test::rendered(test::causalPicture(trace, 1), theme, 300),
              test::rendered(test::causalPicture(plain, 1), theme, 300));
}

TEST(CrossLanes, the_source_stands_above_and_the_target_below_without_overlap) {
    for (const double width : widths) {
        for (const bool density : {false, true}) {
            const PanelPicture picture = crossPicture(density);
            CrossTextPanel panel(picture, test::themeOf(ThemeKind::Light));
            const double height = panel.layout(width);
            const std::size_t sources = keyTokens(picture).size();
            const std::size_t targets = queryTokens(picture).size();
            ASSERT_NE(sources, targets);
            double lowest = 0;
            for (std::size_t key = 0; key < sources; ++key) {
                const QRectF box = panel.boxOf(key);
                lowest = std::max(lowest, box.bottom());
                const PanelHit hit = panel.hit(box.center());
                EXPECT_EQ(hit.key, KeyIndex(key));
                EXPECT_EQ(hit.query, picture.state.selection.query);
            }
            for (std::size_t query = 0; query < targets; ++query) {
                const QRectF box = panel.queryBoxOf(query);
                EXPECT_GT(box.top(), lowest);
                EXPECT_LE(box.bottom(), height);
                for (std::size_t other = 0; other < query; ++other)
                    EXPECT_FALSE(box.intersects(panel.queryBoxOf(other)));
                for (const auto& title : panel.targetFlow().titles())
                    EXPECT_FALSE(box.intersects(title.box.translated(0, panel.targetTop())));
                const PanelHit hit = panel.hit(box.center());
                EXPECT_EQ(hit.query, QueryIndex(query));
                EXPECT_FALSE(hit.key);
            }
            EXPECT_TRUE(panel.boxOf(sources).isEmpty());
            EXPECT_TRUE(panel.queryBoxOf(targets).isEmpty());
        }
    }
}

TEST(CrossLanes, the_query_is_marked_in_the_target_alone) {
    const Theme theme = test::themeOf(ThemeKind::Light);
    CrossTextPanel panel(crossPicture(false), theme);
    panel.layout(420);
    const QImage second = test::rendered(crossPicture(false, 2), theme, 420);
    const QImage third = test::rendered(crossPicture(false, 3), theme, 420);
    const int border = static_cast<int>(panel.targetTop());
    EXPECT_EQ(second.copy(0, 0, 420, border), third.copy(0, 0, 420, border));
    EXPECT_NE(second, third);
}

TEST(CrossLanes, painting_in_tiles_equals_painting_at_once) {
    const Theme theme = test::themeOf(ThemeKind::Dark);
    const QImage whole = test::rendered(crossPicture(true), theme, 190);
    for (int cut = 15; cut < whole.height(); cut += 41) {
        const QRectF below(0, cut, 190, whole.height() - cut);
        EXPECT_TRUE(test::nearlyEqual(
            test::rendered(crossPicture(true), theme, 190, 0, below).copy(below.toRect()),
            whole.copy(below.toRect())));
    }
}

TEST(CrossLanes, a_matrix_has_targets_down_and_sources_across) {
    PanelPicture picture = crossPicture(false);
    const std::size_t queries = queryTokens(picture).size();
    const std::size_t keys = keyTokens(picture).size();
    auto matrix = std::make_shared<session::MatrixEvaluation>();
    matrix->queries = queries;
    matrix->keys = keys;
    matrix->weights.assign(queries * keys, 0.125F);
    matrix->states.assign(queries * keys, session::WeightState::Positive);
    matrix->rowStates.assign(queries, RowState::Ok);
    matrix->largest = 1;
    picture.matrix = matrix;
    picture.state.view = session::View::Matrix;
    const auto panel = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    ASSERT_TRUE(dynamic_cast<MatrixPanel*>(panel.get()));
    panel->layout(420);
    const PanelHit last = panel->hit(panel->boxOf(queries - 1).bottomRight() - QPointF(1, 1));
    EXPECT_EQ(last.query, QueryIndex(queries - 1));
    EXPECT_EQ(last.key, KeyIndex(keys - 1));
    EXPECT_TRUE(panel->boxOf(queries).isEmpty());
    EXPECT_TRUE(hoverText(picture, last).contains(QStringLiteral("[EOS] \u2192 [EOS]")));
}

TEST(CrossLanes, words_are_of_the_axis_they_speak_of) {
    const PanelPicture picture = crossPicture(false, 6);
    const QString over = hoverText(picture, {QueryIndex(6), KeyIndex(5)});
    EXPECT_TRUE(over.startsWith(QStringLiteral("house \u2192 Haus"))) << over.toStdString();
    const QString target = hoverText(picture, {QueryIndex(6), std::nullopt});
    EXPECT_TRUE(target.contains(QStringLiteral("house")));
    EXPECT_TRUE(target.contains(QStringLiteral("written by the model")));
    EXPECT_TRUE(LegendContent::of({&picture, 1}).notes.contains(
        QStringLiteral("underlined: written by the model")));
}

TEST(CrossLanes, a_density_plot_has_the_source_on_its_axis) {
    PanelPicture picture = crossPicture(true);
    picture.state.view = session::View::Density;
    const auto panel = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    panel->layout(420);
    for (std::size_t key = 0; key < keyTokens(picture).size(); ++key)
        EXPECT_EQ(panel->hit(panel->boxOf(key).center()).key, KeyIndex(key));
    EXPECT_TRUE(panel->boxOf(keyTokens(picture).size()).isEmpty());
}

TEST(Legend, says_how_far_back_a_causal_mask_looks) {
    auto trace = std::make_shared<Trace>(*test::traceOf({"a", "b", "c"}));
    QueriesAndKeys recorded{1, 1, 3, 3, 1, 1, {1, 1, 1}, {1, 1, 1}};
    recorded.maskKind = MaskKind::Causal;
    recorded.window = 2;
    trace->records.push_back({{"layer.0", SiteKind::Encoder, LayerIndex(0), 1, 1},
                              scoresFromQueriesAndKeys(std::move(recorded)), {}});
    const PanelPicture picture = test::rowPicture(trace, {-1, 0.5, 0.5}, 2);
    EXPECT_EQ(LegendContent::of({&picture, 1}).window, QStringLiteral("causal, window 2"));
    EXPECT_TRUE(readoutText(picture).endsWith(QStringLiteral("causal, window 2")));
    EXPECT_EQ(maskText(picture), QStringLiteral("causal, window 2"));
}

}  // namespace fovea::widgets
