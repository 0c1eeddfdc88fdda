// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session_file.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"

namespace fovea::session {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The content stands for its own hash.
Result<std::string> contentHash(const fs::path& path) {
    return io::readTextFile(path);
}

DocumentState richDocument(const fs::path& folder) {
    DocumentState document;
    Side base;
    base.source = folder / "model";
    base.input.text = {"a \"text\"\nwith ü and 🦊", "second"};
    base.input.text.target = "dritter";
    base.input.text.generation = {12, true, 0.7, 40, 0.95, std::numeric_limits<std::uint64_t>::max()};
    base.input.picture = PictureChoice{folder / "cat.png", {image::Sizing::Kind::Given, 308, 196}};
    base.options = {3, true, true};
    document.sides = {base};
    PanelState first;
    first.mechanism.domain = Domain::Mixture;
    first.mechanism.weights = {1.0 / 3 + 1, 0.1};
    first.mechanism.density = {std::numeric_limits<double>::infinity(), 2.5};
    first.mechanism.matching = MomentMatching::Paper;
    first.mechanism.floor = VarianceFloor::Clip;
    first.mechanism.mixture = {ComponentChoice::Bic, 5, 77, 1e-7};
    first.selection = {SiteIndex(3),       HeadIndex(2), QueryIndex(41), {QueryIndex(5), QueryIndex(60)},
                       QueryPooling::Max, true};
    first.view = View::Image;
    first.scale = ColourScale::Rank;
    first.pieces = true;
    first.look = {HeatKind::Patches, true, PictureFrame::AsSeen};
    PanelState second;
    second.mechanism.weights = {std::numeric_limits<double>::infinity(), 0};
    second.mechanism.insideModel = true;
    second.view = View::Matrix;
    document.panels = {first, second, PanelState{}};
    document.activePanel = 2;
    document.linked = false;
    return document;
}

// The same with another model beside it.
DocumentState comparison(const fs::path& folder) {
    DocumentState document = richDocument(folder);
    Side tuned = document.sides.front();
    tuned.source = folder / "tuned";
    tuned.input.text.text = "an edit";
    tuned.options = {};
    document.sides.push_back(tuned);
    document.panels[1].side = 1;
    document.panels[1].unmatched = {"bank", "ü"};
    document.panels[1].withoutQuery = true;
    return document;
}

class SessionFile : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directory(folder / "model");
        fs::create_directory(folder / "tuned");
        test::writeBytes(folder / "tuned/config.json", "another configuration");
        test::writeBytes(folder / "model/config.json", "configuration");
        test::writeBytes(folder / "model/model.safetensors", "weights");
        test::writeBytes(folder / "cat.png", "a cat");
    }
    Json written(const DocumentState& document) {
        EXPECT_TRUE(writeSession(document, contentHash, file));
        return Json::parse(*io::readTextFile(file));
    }
    // The written session with one thing changed.
    Result<OpenedSession> changed(const std::function<void(Json&)>& change) {
        Json json = written(comparison(folder.path()));
        change(json);
        test::writeBytes(file, json.dump());
        return readSession(file, contentHash);
    }
    test::TemporaryFolder folder;
    fs::path file = folder / "work.fovea";
};

TEST_F(SessionFile, what_is_written_is_read_back_the_same) {
    for (const DocumentState& document : {richDocument(folder.path()), [&] {
             DocumentState plain = initialDocument();
             plain.sides.front().source = folder / "model";
             return plain;
         }(),
         comparison(folder.path())}) {
        written(document);
        const auto session = readSession(file, contentHash);
        ASSERT_TRUE(session) << session.error().message;
        EXPECT_TRUE(session->document == document);
        EXPECT_TRUE(session->moved.empty());
        EXPECT_TRUE(session->changed.empty());
    }
}

TEST_F(SessionFile, the_same_document_gives_the_same_bytes) {
    EXPECT_EQ(written(richDocument(folder.path())), written(richDocument(folder.path())));
}

TEST_F(SessionFile, a_folder_that_moved_with_its_session_is_found) {
    written(richDocument(folder.path()));
    const test::TemporaryFolder elsewhere;
    fs::copy(folder.path(), elsewhere / "all", fs::copy_options::recursive);
    fs::remove_all(folder / "model");
    const auto session = readSession(elsewhere / "all/work.fovea", contentHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->moved.empty());
    EXPECT_EQ(session->document.sides[0].source, elsewhere / "all/model");
    EXPECT_EQ(session->document.sides[0].input.picture->file, elsewhere / "all/cat.png");
}

TEST_F(SessionFile, a_session_that_moved_alone_finds_the_absolute_place) {
    written(richDocument(folder.path()));
    const test::TemporaryFolder elsewhere;
    fs::copy(file, elsewhere / "work.fovea");
    const auto session = readSession(elsewhere / "work.fovea", contentHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->moved.empty());
    EXPECT_EQ(session->document.sides[0].source, folder / "model");
}

TEST_F(SessionFile, without_an_absolute_place_the_source_is_beside_the_session) {
    written(richDocument(folder.path()));
    nlohmann::json json = nlohmann::json::parse(*io::readTextFile(file));
    json["sides"][0]["source"].erase("absolute");
    test::writeBytes(file, json.dump());
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->document.sides[0].source, folder / "model");
    fs::remove_all(folder / "model");
    const auto gone = readSession(file, contentHash);
    ASSERT_TRUE(gone) << gone.error().message;
    ASSERT_EQ(gone->moved.size(), 1U);
    EXPECT_EQ(gone->moved[0].expected, folder / "model");
}

TEST_F(SessionFile, what_is_gone_is_named_with_its_role) {
    const DocumentState document = richDocument(folder.path());
    written(document);
    fs::remove(folder / "cat.png");
    fs::remove_all(folder / "model");
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_EQ(session->moved.size(), 2U);
    EXPECT_EQ(session->moved[0].role, MovedFile::Role::Source);
    EXPECT_EQ(session->moved[0].expected, folder / "model");
    EXPECT_EQ(session->moved[1].role, MovedFile::Role::Picture);
    EXPECT_TRUE(session->document == document);
}

TEST_F(SessionFile, what_changed_is_said) {
    written(richDocument(folder.path()));
    test::writeBytes(folder / "model/model.safetensors", "other weights");
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_EQ(session->changed.size(), 1U);
    EXPECT_NE(session->changed[0].find("model"), std::string::npos);
}

TEST_F(SessionFile, of_two_places_the_one_with_the_same_content_counts) {
    written(richDocument(folder.path()));
    const test::TemporaryFolder elsewhere;
    fs::copy(file, elsewhere / "work.fovea");
    test::writeBytes(elsewhere / "cat.png", "another cat");
    const auto session = readSession(elsewhere / "work.fovea", contentHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->document.sides[0].input.picture->file, folder / "cat.png");
    EXPECT_TRUE(session->changed.empty());
}

TEST_F(SessionFile, a_source_that_is_not_there_can_still_be_kept) {
    DocumentState document = richDocument(folder.path());
    document.sides[0].source = folder / "not there";
    written(document);
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->moved.size(), 1U);
}

TEST_F(SessionFile, unknown_keys_are_left_alone) {
    const auto session = changed([](Json& json) {
        json["later"] = {1, 2};
        json["panels"][0]["look"]["sparkle"] = true;
    });
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->document == comparison(folder.path()));
}

// What version 1 wrote: one side, beside the panels.
Json asVersion1(Json json) {
    json["version"] = 1;
    json["source"] = json["sides"][0]["source"];
    json["input"] = json["sides"][0]["input"];
    for (const char* key : {"target", "generation"}) json["input"].erase(key);
    json.erase("sides");
    for (Json& panel : json["panels"]) {
        for (const char* key : {"side", "unmatched", "without_query"}) panel.erase(key);
    }
    return json;
}

TEST_F(SessionFile, the_first_version_is_read_as_one_side) {
    test::writeBytes(file, asVersion1(written(richDocument(folder.path()))).dump());
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    DocumentState expected = richDocument(folder.path());
    expected.sides[0].input.text.target.reset();
    expected.sides[0].input.text.generation = {};
    expected.sides[0].options = {};
    EXPECT_TRUE(session->document == expected);
}

TEST_F(SessionFile, a_selection_that_says_nothing_of_words_is_one_of_tokens) {
    const auto session = changed([](Json& json) {
        for (Json& panel : json["panels"]) panel["selection"].erase("words");
    });
    ASSERT_TRUE(session) << session.error().message;
    for (const PanelState& panel : session->document.panels) EXPECT_FALSE(panel.selection.words);
}

TEST_F(SessionFile, a_newer_version_is_refused_by_its_number_and_says_so) {
    const auto session = changed([](Json& json) { json["version"] = 3; });
    ASSERT_FALSE(session);
    for (const char* part : {"version 3", "newer Fovea", "1 to 2"})
        EXPECT_NE(session.error().message.find(part), std::string::npos) << session.error().message;
}

TEST_F(SessionFile, what_both_sides_miss_is_asked_for_once_and_moved_on_both) {
    DocumentState document = comparison(folder.path());
    document.sides[1].source = document.sides[0].source;
    written(document);
    fs::rename(folder / "model", folder / "elsewhere");
    fs::remove(folder / "cat.png");
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_EQ(session->moved.size(), 2U);
    DocumentState found = session->document;
    for (const MovedFile& moved : session->moved)
        relocate(found, moved, moved.role == MovedFile::Role::Source ? "/new/model" : "/new/cat.png");
    for (const Side& side : found.sides) {
        EXPECT_EQ(side.source, "/new/model");
        EXPECT_EQ(side.input.picture->file, "/new/cat.png");
    }
}

TEST_F(SessionFile, of_two_sides_each_changed_file_is_said) {
    written(comparison(folder.path()));
    test::writeBytes(folder / "tuned/config.json", "changed");
    const auto session = readSession(file, contentHash);
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_EQ(session->changed.size(), 1U);
    EXPECT_NE(session->changed[0].find("tuned"), std::string::npos);
}

TEST_F(SessionFile, a_file_of_both_sides_is_hashed_once) {
    DocumentState document = comparison(folder.path());
    document.sides[1].source = document.sides[0].source;
    std::map<fs::path, int> hashed;
    const FileHasher counting = [&](const fs::path& path) {
        ++hashed[path];
        return contentHash(path);
    };
    ASSERT_TRUE(writeSession(document, counting, file));
    for (const auto& [path, times] : hashed) EXPECT_EQ(times, 1) << path;
    EXPECT_EQ(hashed.size(), 2U);
}

TEST_F(SessionFile, broken_ones_are_refused_by_key) {
    const std::pair<const char*, std::function<void(Json&)>> defects[] = {
        {"format", [](Json& json) { json.erase("format"); }},
        {"format", [](Json& json) { json = Json::array(); }},
        {"version", [](Json& json) { json.erase("version"); }},
        {"version 0", [](Json& json) { json["version"] = 0; }},
        {"version", [](Json& json) { json["version"] = "1"; }},
        {"sides", [](Json& json) { json.erase("sides"); }},
        {"sides", [](Json& json) { json["sides"] = Json::array(); }},
        {"sides", [](Json& json) { json["sides"].push_back(json["sides"][0]); }},
        {"sides[1]", [](Json& json) { json["sides"][1] = "a model"; }},
        {"sides[0].source", [](Json& json) { json["sides"][0].erase("source"); }},
        {"sides[1].source.absolute", [](Json& json) { json["sides"][1]["source"]["absolute"] = 7; }},
        {"sides[0].input.text", [](Json& json) { json["sides"][0]["input"]["text"] = nullptr; }},
        {"sides[0].input.target", [](Json& json) { json["sides"][0]["input"]["target"] = 4; }},
        {"sides[1].input.generation", [](Json& json) { json["sides"][1]["input"].erase("generation"); }},
        {"sides[0].input.generation.new_tokens",
         [](Json& json) { json["sides"][0]["input"]["generation"]["new_tokens"] = -1; }},
        {"top_p", [](Json& json) { json["sides"][0]["input"]["generation"]["top_p"] = 1.5; }},
        {"temperature", [](Json& json) { json["sides"][0]["input"]["generation"]["temperature"] = 0; }},
        {"sides[0].input.generation.seed",
         [](Json& json) { json["sides"][0]["input"]["generation"]["seed"] = -1; }},
        {"sides[0].input.picture.size.kind",
         [](Json& json) { json["sides"][0]["input"]["picture"]["size"]["kind"] = "huge"; }},
        {"sides[0].input.picture.size.width",
         [](Json& json) { json["sides"][0]["input"]["picture"]["size"]["width"] = -3; }},
        {"sides[1].options", [](Json& json) { json["sides"][1].erase("options"); }},
        {"first_layers", [](Json& json) { json["sides"][0]["options"]["first_layers"] = 0; }},
        {"sides[0].options.first_layers",
         [](Json& json) { json["sides"][0]["options"]["first_layers"] = 1.5; }},
        {"sides[0].options.body_alone",
         [](Json& json) { json["sides"][0]["options"]["body_alone"] = "yes"; }},
        {"panels[1].side", [](Json& json) { json["panels"][1]["side"] = 2; }},
        {"panels[1].unmatched", [](Json& json) { json["panels"][1]["unmatched"] = "bank"; }},
        {"panels[1].unmatched[0]", [](Json& json) { json["panels"][1]["unmatched"][0] = 3; }},
        {"panels[1].without_query", [](Json& json) { json["panels"][1].erase("without_query"); }},
        {"panels", [](Json& json) { json["panels"] = Json::array(); }},
        {"panels", [](Json& json) { json["panels"] = Json(std::vector<Json>(1000, json["panels"][0])); }},
        {"panels", [](Json& json) { json["panels"] = 3; }},
        {"panels[1]", [](Json& json) { json["panels"][1] = 3; }},
        {"panels[1].mechanism.weights.alpha",
         [](Json& json) { json["panels"][1]["mechanism"]["weights"]["alpha"] = 0.5; }},
        {"panels[0].mechanism.density.temperature",
         [](Json& json) { json["panels"][0]["mechanism"]["density"]["temperature"] = -1; }},
        {"panels[0].mechanism.weights.alpha",
         [](Json& json) { json["panels"][0]["mechanism"]["weights"]["alpha"] = "x"; }},
        {"panels[0].mechanism.domain",
         [](Json& json) { json["panels"][0]["mechanism"]["domain"] = "dream"; }},
        {"panels[0].mechanism",
         [](Json& json) { json["panels"][0]["mechanism"]["mixture"]["components"] = 900; }},
        {"panels[0].selection.head", [](Json& json) { json["panels"][0]["selection"]["head"] = 1.5; }},
        {"panels[0].selection.more_queries",
         [](Json& json) { json["panels"][0]["selection"]["more_queries"] = {7, 6}; }},
        {"panels[0].view", [](Json& json) { json["panels"][0].erase("view"); }},
        {"panels[2].look.patch_grid", [](Json& json) { json["panels"][2]["look"]["patch_grid"] = "yes"; }},
        {"active_panel", [](Json& json) { json["active_panel"] = 3; }},
        {"linked", [](Json& json) { json["linked"] = 1; }}};
    for (const auto& [key, change] : defects) {
        const auto session = changed(change);
        ASSERT_FALSE(session) << key;
        const std::string& message = session.error().message;
        EXPECT_NE(message.find(key), std::string::npos) << key << " in " << message;
        EXPECT_NE(message.find("work.fovea"), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST_F(SessionFile, what_is_no_json_is_refused) {
    for (const test::BrokenFile& broken : test::brokenJson()) {
        test::writeBytes(file, broken.content);
        EXPECT_FALSE(readSession(file, contentHash)) << broken.defect;
    }
    EXPECT_FALSE(readSession(folder / "none.fovea", contentHash));
    EXPECT_FALSE(readSession(folder.path(), contentHash));
}

TEST_F(SessionFile, cut_short_anywhere_it_is_refused) {
    const std::string whole = written(richDocument(folder.path())).dump();
    for (std::size_t length = 0; length < whole.size(); length += 7) {
        test::writeBytes(file, whole.substr(0, length));
        EXPECT_FALSE(readSession(file, contentHash)) << length;
    }
}

TEST_F(SessionFile, a_place_that_cannot_be_written_leaves_nothing_behind) {
    EXPECT_FALSE(writeSession(richDocument(folder.path()), contentHash, folder / "missing/work.fovea"));
    EXPECT_FALSE(fs::exists(folder / "missing"));
}

}  // namespace
}  // namespace fovea::session
