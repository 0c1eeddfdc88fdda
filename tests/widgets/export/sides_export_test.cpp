// SPDX-License-Identifier: GPL-3.0-or-later
// Figures and data of two sides beside each other.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/test_data.h"
#include "tests/widgets/sample_pictures.h"
#include "widgets/export/figure_layout.h"

namespace fovea::widgets {

namespace {

const Provenance base{QStringLiteral("base (bert)"), QStringLiteral("0123456789ab"),
                      QStringLiteral("a text")};
const Provenance tuned{QStringLiteral("tuned (bert)"), QStringLiteral("ba9876543210"),
                       QStringLiteral("an edit, short")};
const Provenances both({base, tuned});

std::vector<PanelPicture> panels() {
    PanelPicture first = test::rowPicture(test::traceOf({"a", "text"}), {0.25, 0.75}, 1);
    first.letter = QStringLiteral("A");
    first.context.side = QStringLiteral("base · a text");
    PanelPicture second = test::rowPicture(test::traceOf({"an", "edit", "short"}), {0.5, 0.25, 0.25}, 1);
    second.letter = QStringLiteral("B");
    second.state.side = 1;
    second.context.side = QStringLiteral("tuned · an edit, short");
    second.context.onlyHere = {true, true, true};
    return {first, second};
}

std::string written(const std::vector<PanelPicture>& pictures, const Provenances& provenance,
                    const char* ending) {
    const test::TemporaryFolder folder;
    const auto path = folder / (std::string("data") + ending);
    EXPECT_TRUE(exportData(pictures, provenance, path));
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
}

TEST(SidesExport, the_caption_names_both_models_inputs_and_hashes) {
    const QString caption = captionText(panels(), both);
    for (const Provenance& side : both.sides()) {
        EXPECT_EQ(caption.count(side.model), 1) << caption.toStdString();
        EXPECT_EQ(caption.count(side.text), 1) << caption.toStdString();
        EXPECT_EQ(caption.count(side.fileHash), 1) << caption.toStdString();
    }
    EXPECT_LT(caption.indexOf(QStringLiteral("A: base")), caption.indexOf(QStringLiteral("B: tuned")));
}

TEST(SidesExport, two_inputs_of_one_model_have_one_hash) {
    Provenance edit = base;
    edit.text = QStringLiteral("an edit");
    const QString caption = captionText(panels(), Provenances({base, edit}));
    EXPECT_EQ(caption.count(base.fileHash), 1) << caption.toStdString();
    EXPECT_TRUE(caption.contains(QStringLiteral("an edit")));
}

TEST(SidesExport, one_panel_of_a_comparison_speaks_of_its_own_side) {
    const std::vector<PanelPicture> second{panels()[1]};
    const QString caption = captionText(second, both);
    EXPECT_TRUE(caption.contains(tuned.model));
    EXPECT_FALSE(caption.contains(base.model));
    EXPECT_FALSE(caption.contains(base.fileHash));
}

TEST(SidesExport, a_figure_of_one_side_is_as_it_was) {
    const std::vector<PanelPicture> first{panels()[0]};
    EXPECT_TRUE(captionText(first, base).startsWith(base.model));
    EXPECT_FALSE(captionText(first, base).contains(base.text));
    EXPECT_FALSE(nlohmann::json::parse(written(first, base, ".json")).contains("sides"));
    EXPECT_TRUE(written(first, base, ".csv").starts_with(
        "panel,query,query_token,key,key_token,weight,state,density_mass\r\n"));
}

TEST(SidesExport, headers_of_panels_say_their_side) {
    std::vector<PanelPicture> silent = panels();
    for (PanelPicture& panel : silent) panel.context = {};
    const Theme theme = test::themeOf(ThemeKind::Light);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_GT(panelHeaderHeight(panels()[i], theme, 300), panelHeaderHeight(silent[i], theme, 300));
    }
    EXPECT_NE(renderFigure(panels(), both, {}), renderFigure(silent, both, {}));
}

TEST(SidesExport, json_has_both_sides_and_tells_panels_apart) {
    const auto json = nlohmann::json::parse(written(panels(), both, ".json"));
    ASSERT_EQ(json["sides"].size(), 2U);
    EXPECT_EQ(json["sides"][0]["model"], "base (bert)");
    EXPECT_EQ(json["sides"][1]["text"], "an edit, short");
    EXPECT_EQ(json["panels"][0]["side"], 0);
    EXPECT_EQ(json["panels"][1]["side"], 1);
    EXPECT_EQ(json["panels"][1]["tokens"].size(), 3U);
}

TEST(SidesExport, a_panel_without_a_query_has_none_in_its_data_either) {
    std::vector<PanelPicture> pictures = panels();
    pictures[1].row = nullptr;
    pictures[1].state.withoutQuery = true;
    pictures[1].state.unmatched = {"text"};
    pictures[1].context.note = QStringLiteral("no counterpart of “text” in B");
    const auto json = nlohmann::json::parse(written(pictures, both, ".json"));
    EXPECT_TRUE(json["panels"][1]["query"].is_null());
    EXPECT_EQ(json["panels"][1]["unmatched"], nlohmann::json{"text"});
    EXPECT_FALSE(json["panels"][1].contains("row"));
    EXPECT_TRUE(captionText(pictures, both).contains(QStringLiteral("no counterpart of “text” in B")));
    EXPECT_FALSE(renderFigure(pictures, both, {}).isNull());
}

TEST(SidesExport, every_line_of_csv_names_its_side) {
    std::istringstream lines(written(panels(), both, ".csv"));
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(line.ends_with(",density_mass,model,text\r")) << line;
    std::size_t ofBase = 0;
    std::size_t ofTuned = 0;
    while (std::getline(lines, line)) {
        ofBase += line.starts_with("A,") && line.ends_with(",base (bert),a text\r");
        ofTuned += line.starts_with("B,") && line.ends_with(",tuned (bert),\"an edit, short\"\r");
    }
    EXPECT_EQ(ofBase, 2U);
    EXPECT_EQ(ofTuned, 3U);
}

}  // namespace

}  // namespace fovea::widgets
