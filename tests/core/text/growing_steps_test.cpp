// SPDX-License-Identifier: GPL-3.0-or-later
// Steps that make a text longer, one behind another: what they make is bounded, whatever a file asks for.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text/decoders.h"
#include "core/text/normalizers.h"
#include "core/text/post_processors.h"
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

json templateOf(const json& single) {
    const json added{{"id", "S"}, {"ids", json(std::vector<int>(100, 0))},
                     {"tokens", json(std::vector<std::string>(100, "s"))}};
    return {{"type", "TemplateProcessing"},
            {"single", single},
            {"pair", json::array()},
            {"special_tokens", {{"S", added}}}};
}

Result<std::unique_ptr<const PostProcessor>> processor(const json& part) {
    // As a file has it: numbers without a sign.
    const json read = json::parse(part.dump());
    return makePostProcessor(ConfigPart(read, "FILE", "post_processor"), [](std::int64_t) { return true; });
}

TEST(Templates, that_name_many_tokens_many_times_are_refused) {
    const json text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
    const json token{{"SpecialToken", {{"id", "S"}, {"type_id", 0}}}};
    EXPECT_TRUE(processor(templateOf(json::array({text, token}))));
    EXPECT_FALSE(processor(templateOf(std::vector<json>(100, token))));
    EXPECT_FALSE(processor(templateOf(std::vector<json>(17, text))));
}

TEST(Templates, behind_one_that_leaves_the_text_out_are_an_error) {
    const json text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
    const auto both = processor(
        {{"type", "Sequence"}, {"processors", {templateOf(json::array()), templateOf(json::array({text}))}}});
    ASSERT_TRUE(both) << both.error().message;
    std::vector<TokenRun> runs(1);
    const auto applied = (*both)->apply(runs, true);
    ASSERT_FALSE(applied);
    EXPECT_NE(applied.error().message.find("left out the text"), std::string::npos);
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
