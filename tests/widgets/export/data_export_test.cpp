// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/test_data.h"
#include "tests/widgets/sample_pictures.h"
#include "widgets/export/figure_export.h"

namespace fovea::widgets {

namespace {

const Provenance provenance{QStringLiteral("a-model (bert)"), QStringLiteral("0123456789ab"),
                            QStringLiteral("The text")};

std::string written(std::span<const PanelPicture> panels, const std::string& ending) {
    const test::TemporaryFolder folder;
    const auto path = folder / ("data." + ending);
    const auto done = exportData(panels, provenance, path);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Rows of RFC 4180 fields.
std::vector<std::vector<std::string>> parsedCsv(const std::string& text) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
            row.back() += text[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',')
            row.emplace_back();
        else if (!quoted && c == '\n') {
            rows.push_back(row);
            row.assign(1, {});
        } else if (quoted || c != '\r')
            row.back() += c;
    }
    EXPECT_FALSE(quoted);
    return rows;
}

PanelPicture awkward() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return test::rowPicture(test::traceOf({"a,b", "say \"no\"", "line\nbreak", "\u00e9", "x"}),
                            {0.1 + 0.2, 1e-300, 0, -1, nan}, 1);
}

}  // namespace

TEST(DataOfTwoAxes, names_queries_by_the_target_and_keys_by_the_source) {
    const auto trace = test::crossTrace({"das", "Haus", "[EOS]"}, {"the", "house"});
    const PanelPicture picture = test::rowPicture(trace, {0.25, 0.75, 0}, 2);
    const auto rows = parsedCsv(written({&picture, 1}, "csv"));
    ASSERT_EQ(rows.size(), 4U);
    for (std::size_t key = 0; key < 3; ++key) {
        EXPECT_EQ(rows[key + 1][2], "house");
        EXPECT_EQ(rows[key + 1][4], trace->tokens[key].text);
        EXPECT_EQ(std::stod(rows[key + 1][5]), picture.row->weights[key]) << "what the screen shows";
    }
    const auto panel = nlohmann::json::parse(written({&picture, 1}, "json"))["panels"][0];
    EXPECT_EQ(panel["tokens"].size(), 3U);
    EXPECT_EQ(panel["query_tokens"].size(), 3U);
    EXPECT_EQ(panel["query"]["token"], "house");
    EXPECT_EQ(panel["written_queries"], (nlohmann::json{1, 2}));
    EXPECT_EQ(panel["row"]["weights"].size(), 3U);
}

TEST(DataCsv, has_one_row_a_key_and_reads_back_exactly) {
    const PanelPicture picture = test::withParabola(awkward(), 2, 1.5);
    const auto rows = parsedCsv(written({&picture, 1}, "csv"));
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"panel", "query", "query_token", "key", "key_token",
                                                 "weight", "state", "density_mass"}));
    for (std::size_t key = 0; key < 5; ++key) {
        const auto& row = rows[key + 1];
        ASSERT_EQ(row.size(), 8U);
        EXPECT_EQ(row[0], "A");
        EXPECT_EQ(row[1], "1");
        EXPECT_EQ(row[3], std::to_string(key));
        EXPECT_EQ(row[4], picture.trace->tokens[key].text);
        EXPECT_EQ(std::stod(row[7]), picture.row->interval->massOfToken[key]);
        if (key < 4) {
            EXPECT_EQ(std::stod(row[5]), picture.row->weights[key]);
        }
    }
    EXPECT_EQ(rows[5][5], "NaN");
    EXPECT_EQ(rows[1][6], "positive");
    EXPECT_EQ(rows[3][6], "exact zero");
    EXPECT_EQ(rows[4][6], "masked");
    EXPECT_EQ(rows[5][6], "not a number");
}

TEST(DataCsv, lists_a_matrix_cell_by_cell) {
    const PanelPicture picture = test::causalPicture(test::sentence(), 11);
    const auto rows = parsedCsv(written({&picture, 1}, "csv"));
    ASSERT_EQ(rows.size(), 1 + 17 * 17U);
    for (std::size_t at = 0; at < 17 * 17; ++at) {
        EXPECT_EQ(rows[at + 1][1], std::to_string(at / 17));
        EXPECT_EQ(rows[at + 1][3], std::to_string(at % 17));
        EXPECT_EQ(std::stof(rows[at + 1][5]), picture.matrix->weights[at]);
    }
}

TEST(DataJson, reads_back_exactly_with_null_for_not_a_number) {
    const PanelPicture first = awkward();
    PanelPicture second = test::withGaussian(first, 2, 1);
    second.letter = QStringLiteral("B");
    const PanelPicture both[] = {first, second};
    const auto json = nlohmann::json::parse(written(both, "json"));
    EXPECT_EQ(json["model"], "a-model (bert)");
    EXPECT_EQ(json["file_hash"], "0123456789ab");
    EXPECT_EQ(json["text"], "The text");
    ASSERT_EQ(json["panels"].size(), 2U);
    const auto& row = json["panels"][0]["row"];
    for (std::size_t key = 0; key < 4; ++key)
        EXPECT_EQ(row["weights"][key].get<double>(), first.row->weights[key]);
    EXPECT_TRUE(row["weights"][4].is_null());
    EXPECT_EQ(row["states"][3], "masked");
    EXPECT_FALSE(row.contains("interval"));
    const auto& interval = json["panels"][1]["row"]["interval"];
    EXPECT_EQ(interval["shown"][0].get<double>(), second.row->interval->shown.low);
    EXPECT_EQ(interval["samples"].size(), second.row->interval->samples.size());
    EXPECT_EQ(json["panels"][1]["mechanism"]["domain"], "continuous");
}

TEST(DataNpz, holds_an_array_a_panel) {
    const PanelPicture row = test::withParabola(awkward(), 2, 1.5);
    PanelPicture matrix = test::causalPicture(test::sentence(), 3);
    matrix.letter = QStringLiteral("B");
    const PanelPicture both[] = {row, matrix};
    const std::string bytes = written(both, "npz");
    EXPECT_TRUE(bytes.starts_with("PK"));
    for (const char* name : {"weights_A.npy", "states_A.npy", "tokens_A.npy", "density_mass_A.npy",
                             "density_samples_A.npy", "weights_B.npy", "states_B.npy", "tokens_B.npy"}) {
        EXPECT_NE(bytes.find(name), std::string::npos) << name;
    }
}

TEST(DataOfPictures, names_row_and_column_of_patches_and_the_numbers_of_ellipses) {
    const auto trace = test::pictureTrace(3, 4, {"[CLS]"});
    PanelPicture picture =
        test::imagePicture(trace, nullptr, test::heatAround(*trace->grid, 0.5, 0.5, 0.6), 2);
    const auto rows = parsedCsv(written({&picture, 1}, "csv"));
    ASSERT_EQ(rows.size(), 14U);
    EXPECT_EQ(rows[0].back(), "column");
    EXPECT_EQ(rows[1][8], "");
    for (std::size_t key = 1; key < 13; ++key) {
        EXPECT_EQ(rows[key + 1][8], std::to_string((key - 1) / 4));
        EXPECT_EQ(rows[key + 1][9], std::to_string((key - 1) % 4));
    }
    session::EllipseEvaluation ellipse = test::ellipseWith(0.4, 0.6, 0.02, 0.01, 0.03, true);
    ellipse.density = *Density2d::fromScale({0.4, 0.6}, Eigen::Matrix2d{{0.02, 0.01}, {0.01, 0.03}}, {2, 1});
    picture = test::withEllipses(picture, {ellipse});
    const auto json = nlohmann::json::parse(written({&picture, 1}, "json"));
    const auto& found = json["panels"][0]["row"]["picture"];
    EXPECT_EQ(found["grid"], (nlohmann::json{3, 4}));
    EXPECT_EQ(found["ellipses"][0]["border"]["semi_axes"][0].get<double>(), ellipse.border.major);
    EXPECT_EQ(found["ellipses"][0]["alpha"], 2);
    const std::string npz = written({&picture, 1}, "npz");
    for (const char* name : {"grid_A.npy", "ellipses_A.npy", "density_mass_A.npy"}) {
        EXPECT_NE(npz.find(name), std::string::npos) << name;
    }
    const auto dense = parsedCsv(written({&picture, 1}, "csv"));
    double mass = 0;
    for (std::size_t key = 1; key < 13; ++key) mass += std::stod(dense[key + 1][7]);
    EXPECT_NEAR(mass, 1 - ellipse.density.massOutsideUnit(), 1e-9);
}

TEST(Data, is_the_same_twice) {
    const PanelPicture picture = test::causalPicture(test::sentence(), 11);
    for (const char* ending : {"csv", "json", "npz"}) {
        EXPECT_EQ(written({&picture, 1}, ending), written({&picture, 1}, ending)) << ending;
    }
}

TEST(Data, other_endings_and_unwritable_places_are_refused_by_name) {
    const PanelPicture picture = awkward();
    const test::TemporaryFolder folder;
    const auto ending = exportData({&picture, 1}, provenance, folder / "data.xlsx");
    ASSERT_FALSE(ending);
    EXPECT_EQ(ending.error().kind, ErrorKind::Usage);
    for (const char* name : {"missing/data.csv", "missing/data.json", "missing/data.npz"}) {
        const auto refused = exportData({&picture, 1}, provenance, folder / name);
        ASSERT_FALSE(refused) << name;
        EXPECT_NE(refused.error().message.find("data."), std::string::npos) << refused.error().message;
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace fovea::widgets
