// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that make a text longer, one behind another: what they make is bounded, whatever a file asks for.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text/decoders.h"
#include "core/text/normalizers.h"
#include "core/text/pre_tokenizers.h"

namespace fovea::text {
namespace {

using nlohmann::json;

constexpr const char* sentence = "the tokenizer's steps would make";

json sequenceOf(const char* listName, const json& step, int count) {
    json steps = json::array();
    for (int i = 0; i < count; ++i) steps.push_back(step);
    return {{"type", "Sequence"}, {listName, steps}};
}

json replacing(const char* from, const std::string& to) {
    return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

Result<std::string> normalized(const json& steps, std::string_view text) {
    const auto made = makeNormalizer(ConfigPart(steps, "FILE", "normalizer"));
    NormalizedText result(text);
    if (auto done = (*made)->apply(result); !done) return std::unexpected(done.error());
    return result.text();
}

TEST(GrowingSteps, of_a_normalizer_that_double_a_text_forty_times_are_an_error) {
    const auto grown = normalized(sequenceOf("normalizers", replacing("a", "aa"), 40), "banana");
    ASSERT_FALSE(grown);
    EXPECT_NE(grown.error().message.find(sentence), std::string::npos) << grown.error().message;
    EXPECT_EQ(normalized(sequenceOf("normalizers", replacing("a", "aa"), 3), "ba").value(), "baaaaaaaa");
}

TEST(GrowingSteps, that_write_bytes_as_letters_again_and_again_are_an_error) {
    const json letters{{"type", "ByteLevel"}};
    EXPECT_FALSE(normalized(sequenceOf("normalizers", letters, 40), "ä"));
    const json cut{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
    const json steps = sequenceOf("pretokenizers", cut, 40);
    const auto made = makePreTokenizer(ConfigPart(steps, "FILE", "pre_tokenizer"));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_FALSE((*made)->split(NormalizedText("ä")));
}

TEST(GrowingSteps, of_one_long_replacement_are_bounded_by_the_text) {
    const std::string content(1000, 'x');
    EXPECT_EQ(normalized(replacing("a", content), "aa").value().size(), 2000U);
    EXPECT_FALSE(normalized(replacing("a", content), std::string(100'000, 'a')));
}

TEST(GrowingSteps, of_a_decoder_are_an_error) {
    const json steps = sequenceOf("decoders", replacing("a", "aa"), 40);
    const auto made = makeDecoder(ConfigPart(steps, "FILE", "decoder"));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_FALSE((*made)->decode({"ba", "na"}));
}

TEST(Decoders, replace_in_a_long_piece_without_moving_its_rest_each_time) {
    const json mark{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "never"}};
    const auto made = makeDecoder(ConfigPart(mark, "FILE", "decoder"));
    ASSERT_TRUE(made) << made.error().message;
    std::string marks, spaces;
    for (int i = 0; i < 300'000; ++i) marks += "▁a", spaces += " a";
    EXPECT_EQ((*made)->decode({marks}).value(), std::vector{spaces});
}

}  // namespace
}  // namespace fovea::text
