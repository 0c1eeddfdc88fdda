// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session_file.h"

#include <cmath>
#include <limits>

#include "core/session/attention_dump.h"
#include "core/text/utf8.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"

namespace fovea::fuzz {

namespace {

constexpr std::size_t longestSession = 1 << 13;

Result<std::string> noHash(const std::filesystem::path&) { return std::string("00"); }

void checkDocument(const session::DocumentState& document) {
    law(document.sides.size() >= 1 && document.sides.size() <= session::mostSides, "one side or two");
    law(!document.panels.empty() && document.activePanel < document.panels.size(), "a panel is active");
    for (const session::PanelState& panel : document.panels) {
        law(panel.side < document.sides.size(), "a panel shows a side that there is");
        law(session::checked(panel.mechanism).has_value(), "a mechanism is in its domain");
    }
}

bool readSession(Bytes input) {
    const auto path = scratchFile("session/file.fovea", textOf(input));
    const auto opened = session::readSession(path, noHash);
    if (!accepted(opened, path.string())) return false;
    checkDocument(opened->document);
    const auto written = scratchFolder() / "session/again.fovea";
    law(session::writeSession(opened->document, noHash, written).has_value(), "what was read can be written");
    const auto again = session::readSession(written, noHash);
    law(again.has_value(), "what was written can be read");
    // A path that is relative in the file is absolute once it was written.
    const auto twice = scratchFolder() / "session/twice.fovea";
    law(session::writeSession(again->document, noHash, twice).has_value(), "what was read can be written");
    law(contentOf(written) == contentOf(twice), "what is written, read and written again is equal");
    law(again->document.panels == opened->document.panels, "panels are kept");
    return true;
}

std::string sessionOf(const session::DocumentState& document) {
    const auto path = scratchFolder() / "seed.fovea";
    law(session::writeSession(document, noHash, path).has_value(), "a document can be written");
    return contentOf(path);
}

std::vector<Seed> sessionSeeds() {
    using namespace session;
    DocumentState plain = initialDocument();
    plain.sides[0].source = "model";
    plain.sides[0].input.text.text = "Some words.";
    DocumentState rich = plain;
    rich.sides.push_back(rich.sides[0]);
    rich.sides[1].input.picture = PictureChoice{"picture.png", {image::Sizing::Kind::Given, 32, 48}};
    rich.sides[1].input.text.pair = "Others.";
    rich.sides[1].options = {2, true, true};
    rich.panels[1].side = 1;
    rich.panels[1].mechanism.domain = Domain::Mixture;
    rich.panels[1].selection.more = {QueryIndex(1), QueryIndex(2)};
    rich.panels[1].view = View::Density;
    rich.panels[0].mechanism.weights.alpha = std::numeric_limits<double>::infinity();
    std::vector<Seed> seeds{{"plain", sessionOf(plain)}, {"rich", sessionOf(rich)}};
    append(seeds, brokenFiles(test::BrokenKind::Session, longestSession));
    return seeds;
}

constexpr std::size_t longestDump = 1 << 14;

void checkRecord(const AttentionRecord& record) {
    const ScoreSource& scores = *record.scores;
    law(scores.heads() >= 1 && scores.queries() >= 1 && scores.keys() >= 1, "a site has rows");
    constexpr std::size_t many = 1 << 16;
    if (scores.keys() > many) return;
    std::vector<float> row(scores.keys());
    for (const std::size_t head : {std::size_t{0}, scores.heads() - 1}) {
        for (const std::size_t query : {std::size_t{0}, scores.queries() - 1}) {
            scores.scores(HeadIndex(head), {QueryIndex(query), 1}, row);
            touch(std::as_bytes(std::span(row)));
        }
    }
}

// The first byte chooses the kind of file.
bool readDump(Bytes input) {
    if (input.empty()) return false;
    constexpr const char* endings[] = {"npy", "npz", "safetensors"};
    const char* ending = endings[std::to_integer<unsigned>(input[0]) % 3];
    const auto path = scratchFile(std::string("dump.") + ending, textOf(input.subspan(1)));
    const auto dump = session::readAttentionDump(path, {});
    if (!accepted(dump, path.string())) return false;
    const Trace& trace = *dump->trace;
    law(!trace.records.empty() && trace.records.size() == dump->info.sites.size(), "every site is known");
    for (const AttentionRecord& record : trace.records) checkRecord(record);
    for (const TokenLabel& label : trace.tokens) law(!text::firstInvalidByte(label.text), "labels are UTF-8");
    for (const TokenLabel& label : trace.targetTokens)
        law(!text::firstInvalidByte(label.text), "labels are UTF-8");
    if (trace.grid)
        law(trace.grid->first + trace.grid->rows * trace.grid->columns <= trace.tokens.size(),
            "a grid's patches have tokens");
    if (dump->image)
        law(dump->image->pixels.size() == dump->image->width * dump->image->height * 3,
            "pixels fill a picture");
    return true;
}

std::vector<Seed> dumpSeeds() {
    std::vector<Seed> seeds;
    for (const char kind : {'\0', '\1', '\2'}) {
        const char* endings[] = {".npy", ".npz", ".safetensors"};
        for (Seed& seed : filesEndingIn(endings[static_cast<int>(kind)], longestDump - 1))
            seeds.push_back({seed.name, std::string(1, kind) + seed.content});
    }
    for (Seed& seed : brokenFiles(test::BrokenKind::Dump, longestDump - 1))
        seeds.push_back({seed.name, '\2' + seed.content});
    const auto file = [](const std::string& metadata, const std::string& tensors, std::size_t bytes) {
        return '\2' + test::safetensorsBytes("{\"__metadata__\":{" + metadata + "}," + tensors + "}",
                                             std::string(bytes, '\0'));
    };
    append(
        seeds,
        {{"tokens", file(R"("tokens":"[\"a\",\"b\"]","grid":"[1,2]","frame":"[0,0,4,4]","image":"x.png")",
                         R"("scores.0":{"dtype":"F32","shape":[1,2,2],"data_offsets":[0,16]})", 16)},
         {"queries", file(R"("query_tokens":"[\"x\"]")",
                          R"("queries.0":{"dtype":"F32","shape":[2,1,2],"data_offsets":[0,16]},)"
                          R"("keys.0":{"dtype":"F32","shape":[1,3,2],"data_offsets":[16,40]},)"
                          R"("image":{"dtype":"U8","shape":[2,2,3],"data_offsets":[40,52]})",
                          52)},
         {"two_stacks", file(R"("model":"m")",
                             R"("encoder_scores.0":{"dtype":"F16","shape":[1,2,2],"data_offsets":[0,8]},)"
                             R"("cross_scores.0":{"dtype":"F16","shape":[1,1,2],"data_offsets":[8,12]},)"
                             R"("decoder_scores.0":{"dtype":"F16","shape":[1,1,1],"data_offsets":[12,14]})",
                             14)}});
    return seeds;
}

}  // namespace

const Entry sessionEntry{"session",
                         longestSession,
                         readSession,
                         sessionSeeds,
                         {"\"infinity\"", "\"version\": 1", "\"version\": 2",
                          "\"relative\":", "\"absolute\":", "\"mixture\"", "\"continuous\"", "\"picture\":",
                          "\"generation\":", "null", "1e308", "18446744073709551615", "-1", "[0, 1]"}};
const Entry attentionDumpEntry{
    "attention_dump",
    longestDump,
    readDump,
    dumpSeeds,
    {"scores.0", "attention", "encoder_", "decoder_", "cross_", "queries.", "keys.", "tokens",
     "target_tokens", "grid", "image", "frame", "words", "special_tokens", "attention_mask",
     "\"dtype\":\"F16\"", "relative_bias", "window"}};

}  // namespace fovea::fuzz
