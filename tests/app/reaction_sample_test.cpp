// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled model of chemical reactions opens from text, and one of its heads maps atoms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <ranges>

#include "core/io/array_conversion.h"
#include "core/io/files.h"
#include "core/io/safetensors.h"
#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path sample = fs::path(FOVEA_SOURCE_DIR) / "resources/samples/rxnmapper-albert";

std::string reaction() {
    std::string text = *io::readTextFile(sample / "sample.txt");
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

/// Attention of the head that follows atoms through the sample's reaction, and the tokens.
struct Recorded {
    std::vector<std::string> tokens;
    std::vector<float> weights;  // (queries, keys)

    std::span<const float> row(std::size_t query) const {
        return std::span(weights).subspan(query * tokens.size(), tokens.size());
    }
    /// Positions of the atoms in [first, past).
    std::vector<std::size_t> atoms(std::size_t first, std::size_t past) const {
        std::vector<std::size_t> places;
        for (std::size_t i = first; i < past; ++i) {
            const std::string_view token = tokens[i];
            const bool atom = std::isalpha(token.starts_with('[') ? token[1] : token[0]) != 0;
            if (atom && token != "[CLS]" && token != "[SEP]") places.push_back(i);
        }
        return places;
    }
};

Recorded recorded() {
    constexpr std::size_t layer = 10, head = 5;
    const TemporaryFolder folder;
    const fs::path out = folder / "trace.safetensors";
    const auto done =
        fovea({"trace", sample, "--text", reaction(), "--layers", std::to_string(layer), "-o", out});
    EXPECT_EQ(done.exitCode, 0) << done.err;
    const auto file = io::SafetensorsFile::open(out);
    if (!file) return {};
    Recorded result;
    result.tokens = json::parse((*file)->metadata().at("tokens")).get<std::vector<std::string>>();
    const io::ArrayView* attention = (*file)->find("attention.10");
    const auto all = io::convertedArray<float>(*attention, "attention.10");
    const std::size_t size = result.tokens.size() * result.tokens.size();
    const auto matrix = std::span(all->values).subspan(head * size, size);
    result.weights.assign(matrix.begin(), matrix.end());
    return result;
}

TEST(ReactionSample, one_head_leads_each_atom_of_the_product_to_the_atom_that_it_was) {
    const Recorded trace = recorded();
    const auto arrow = std::ranges::find(trace.tokens, ">>");
    ASSERT_NE(arrow, trace.tokens.end());
    const auto middle = static_cast<std::size_t>(arrow - trace.tokens.begin());
    const auto before = trace.atoms(0, middle), after = trace.atoms(middle + 1, trace.tokens.size());
    // CC(C)S.CN(C)C=O.Fc1cccnc1F >> CC(C)Sc1ncccc1F: sulphur takes the place of the fluorine that stands
    // beside the ring's nitrogen. Numbers count the atoms of the reactants in their order.
    const std::vector<std::size_t> truth{0, 1, 2, 3, 15, 14, 13, 12, 11, 10, 9};
    ASSERT_EQ(after.size(), truth.size());
    for (std::size_t atom = 0; atom < after.size(); ++atom) {
        const auto row = trace.row(after[atom]);
        const auto source = std::ranges::max_element(
            before, {}, [&](std::size_t place) { return row[place]; });
        EXPECT_EQ(static_cast<std::size_t>(source - before.begin()), truth[atom]) << "product atom " << atom;
        EXPECT_EQ(trace.tokens[*source], trace.tokens[after[atom]]);
    }
}

TEST(ReactionSample, every_piece_of_the_vocabulary_is_one_token) {
    const auto tokenizer = io::readJsonFile(sample / "tokenizer.json");
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const json& vocabulary = (*tokenizer)["model"]["vocab"];
    const TemporaryFolder folder;
    std::string lines;
    for (const auto& [piece, id] : vocabulary.items()) lines += piece + "\n";
    ASSERT_TRUE(io::writeFileAtomically(folder / "pieces.txt", lines));
    const auto done = fovea({"tokenize", sample, "--file", folder / "pieces.txt", "--no-special", "--json"});
    ASSERT_EQ(done.exitCode, 0) << done.err;
    std::istringstream answers(done.out);
    std::string line;
    for (const auto& [piece, id] : vocabulary.items()) {
        ASSERT_TRUE(std::getline(answers, line));
        EXPECT_EQ(json::parse(line)["ids"], json::array({id})) << piece;
    }
}

TEST(ReactionSample, is_read_the_same_from_the_list_of_its_pieces_alone) {
    const auto tokenizer = io::readJsonFile(sample / "tokenizer.json");
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    std::map<int, std::string> pieces;
    for (const auto& [piece, id] : (*tokenizer)["model"]["vocab"].items()) pieces[id.get<int>()] = piece;
    std::string lines;
    for (const auto& [id, piece] : pieces) lines += piece + "\n";
    const TemporaryFolder folder;
    ASSERT_TRUE(io::writeFileAtomically(folder / "vocab.txt", lines));
    ASSERT_TRUE(io::writeFileAtomically(folder / "config.json", R"({"model_type": "albert"})"));
    for (const std::string& text : {reaction(), std::string(" [Xx]>>%(123)C\\Cl [MASK]")}) {
        const std::vector<std::string> options{"--text", text, "--pair", "CCO", "--json"};
        const auto tokens = [&](const fs::path& model) {
            std::vector<std::string> command{"tokenize", model};
            command.insert(command.end(), options.begin(), options.end());
            return jsonOf(fovea(command));
        };
        EXPECT_EQ(tokens(folder.path()), tokens(sample)) << text;
    }
}

TEST(ReactionSample, reads_the_recorded_text_as_its_ids) {
    for (const fs::path& folder : foldersWith("real", "reference.safetensors")) {
        if (folder.filename() != sample.filename()) continue;
        const auto file = io::SafetensorsFile::open(folder / "reference.safetensors");
        ASSERT_TRUE(file);
        const auto ids = io::convertedArray<std::int64_t>(*(*file)->find("input_ids"), "input_ids");
        const json answer =
            jsonOf(fovea({"tokenize", sample, "--text", (*file)->metadata().at("text"), "--json"}));
        EXPECT_EQ(answer["ids"].get<std::vector<std::int64_t>>(), ids->values);
        return;
    }
    GTEST_SKIP() << "no recorded run of " << sample.filename() << " in " << dataFolder();
}

TEST(ReactionSample, gives_back_the_text_of_its_tokens_and_shows_what_it_does_not_know) {
    const auto unknown = jsonOf(fovea({"tokenize", sample, "--text", " C-Xx ", "--no-special", "--json"}));
    EXPECT_EQ(unknown["tokens"], json::array({"C", "-", "[UNK]"}));
    EXPECT_EQ(unknown["offsets"].back(), json::array({3, 5}));
}

TEST(ReactionSample, its_session_draws_a_figure) {
    const TemporaryFolder folder;
    const auto done = fovea({"export", sample / "atoms.fovea", "-o", folder / "atoms.svg"});
    ASSERT_EQ(done.exitCode, 0) << done.err;
    const auto figure = io::readTextFile(folder / "atoms.svg");
    ASSERT_TRUE(figure);
    EXPECT_TRUE(figure->contains("rxnmapper-albert"));
}

}  // namespace
}  // namespace fovea::test
