// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session_file.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
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
    document.source = folder / "model";
    document.input.text = {"a \"text\"\nwith ü and 🦊", "second"};
    document.input.picture = PictureChoice{folder / "cat.png", {image::Sizing::Kind::Given, 308, 196}};
    PanelState first;
    first.mechanism.domain = Domain::Mixture;
    first.mechanism.weights = {1.0 / 3 + 1, 0.1};
    first.mechanism.density = {std::numeric_limits<double>::infinity(), 2.5};
    first.mechanism.matching = MomentMatching::Paper;
    first.mechanism.floor = VarianceFloor::Clip;
    first.mechanism.mixture = {ComponentChoice::Bic, 5, 77, 1e-7};
    first.selection = {
        SiteIndex(3), HeadIndex(2), QueryIndex(41), {QueryIndex(5), QueryIndex(60)}, QueryPooling::Max};
    first.view = View::Image;
    first.scale = ColourScale::Rank;
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

class SessionFile : public testing::Test {
protected:
    void SetUp() override {
        fs::create_directory(folder / "model");
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
        Json json = written(richDocument(folder.path()));
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
             plain.source = folder / "model";
             return plain;
         }()}) {
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
    EXPECT_EQ(session->document.source, elsewhere / "all/model");
    EXPECT_EQ(session->document.input.picture->file, elsewhere / "all/cat.png");
}

TEST_F(SessionFile, a_session_that_moved_alone_finds_the_absolute_place) {
    written(richDocument(folder.path()));
    const test::TemporaryFolder elsewhere;
    fs::copy(file, elsewhere / "work.fovea");
    const auto session = readSession(elsewhere / "work.fovea", contentHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->moved.empty());
    EXPECT_EQ(session->document.source, folder / "model");
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
    EXPECT_EQ(session->document.input.picture->file, folder / "cat.png");
    EXPECT_TRUE(session->changed.empty());
}

TEST_F(SessionFile, a_source_that_is_not_there_can_still_be_kept) {
    DocumentState document = richDocument(folder.path());
    document.source = folder / "not there";
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
    EXPECT_TRUE(session->document == richDocument(folder.path()));
}

TEST_F(SessionFile, broken_ones_are_refused_by_key) {
    const std::pair<const char*, std::function<void(Json&)>> defects[] = {
        {"format", [](Json& json) { json.erase("format"); }},
        {"format", [](Json& json) { json = Json::array(); }},
        {"version", [](Json& json) { json.erase("version"); }},
        {"version 2", [](Json& json) { json["version"] = 2; }},
        {"version", [](Json& json) { json["version"] = "1"; }},
        {"source", [](Json& json) { json.erase("source"); }},
        {"source.absolute", [](Json& json) { json["source"]["absolute"] = 7; }},
        {"input.text", [](Json& json) { json["input"]["text"] = nullptr; }},
        {"input.picture.size.kind", [](Json& json) { json["input"]["picture"]["size"]["kind"] = "huge"; }},
        {"input.picture.size.width", [](Json& json) { json["input"]["picture"]["size"]["width"] = -3; }},
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
