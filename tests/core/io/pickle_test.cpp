// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/io/pickle_reader.h"
#include "core/io/torch_state.h"
#include "tests/support/torch_files.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using test::PickleText;

Result<Pickle> read(const std::string& bytes) {
    return readPickle(std::as_bytes(std::span(bytes)), "file.bin", torchStatePermits);
}

std::string refusal(const std::string& bytes) {
    const auto pickle = read(bytes);
    return pickle ? "was read" : pickle.error().message;
}

#define EXPECT_SAYS(message, words) EXPECT_NE((message).find(words), std::string::npos) << (message)

TEST(Pickle, holds_constants_of_every_kind) {
    const std::string bytes = PickleText()
                                  .raw("(N\x88\x89K\x07M\x01\x02")
                                  .number(-5)
                                  .raw(std::string_view("\x8a\x00", 2))
                                  .raw("\x8a\x01\xff")
                                  .raw(std::string_view("G\x3f\xf8\x00\x00\x00\x00\x00\x00", 9))
                                  .text("weiß")
                                  .raw("U\x02py")
                                  .raw("C\x03raw]})t")
                                  .done();
    const auto pickle = read(bytes);
    ASSERT_TRUE(pickle) << pickle.error().message;
    const PickleValue& top = pickle->top();
    ASSERT_EQ(top.kind, PickleKind::Tuple);
    const auto item = [&](std::size_t index) { return pickle->item(top, index); };
    EXPECT_EQ(item(0).kind, PickleKind::None);
    EXPECT_EQ(item(1).number, 1);
    EXPECT_EQ(item(2).kind, PickleKind::Boolean);
    EXPECT_EQ(item(3).number, 7);
    EXPECT_EQ(item(4).number, 513);
    EXPECT_EQ(item(5).number, -5);
    EXPECT_EQ(item(6).number, 0);
    EXPECT_EQ(item(7).number, -1);
    EXPECT_EQ(item(8).real, 1.5);
    EXPECT_EQ(item(9).text, "weiß");
    EXPECT_EQ(item(10).text, "py");
    EXPECT_EQ(item(11).kind, PickleKind::Bytes);
    EXPECT_EQ(item(12).kind, PickleKind::List);
    EXPECT_EQ(item(13).kind, PickleKind::Dictionary);
    EXPECT_TRUE(item(14).items.empty());
    EXPECT_EQ(item(99).kind, PickleKind::None);
    EXPECT_EQ(pickle->size, bytes.size());
}

TEST(Pickle, keeps_what_was_put_into_the_memo) {
    for (const std::string_view code : {"(\x8c\x01x\x94h\x00t."sv, "(X\x01\x00\x00\x00xq\x07h\x07t."sv,
                                        "(X\x01\x00\x00\x00xr\x07\x00\x00\x00j\x07\x00\x00\x00t."sv}) {
        const auto pickle = read("\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00"s + std::string(code));
        ASSERT_TRUE(pickle) << pickle.error().message;
        ASSERT_EQ(pickle->top().items.size(), 2u);
        EXPECT_EQ(pickle->top().items[0], pickle->top().items[1]);
    }
}

TEST(Pickle, of_an_ordered_dictionary_is_a_dictionary_however_its_items_are_given) {
    const std::string later =
        PickleText().global("collections", "OrderedDict").raw(")R(").text("a").number(1).raw("u").done();
    const std::string pairs = PickleText()
                                  .global("collections", "OrderedDict")
                                  .raw("](](")
                                  .text("a")
                                  .number(1)
                                  .raw("ee\x85R")
                                  .done();
    for (const std::string& bytes : {later, pairs}) {
        const auto pickle = read(bytes);
        ASSERT_TRUE(pickle) << pickle.error().message;
        ASSERT_EQ(pickle->top().kind, PickleKind::Dictionary);
        EXPECT_EQ(pickle->item(pickle->top(), 0).text, "a");
        EXPECT_EQ(pickle->item(pickle->top(), 1).number, 1);
    }
}

TEST(Pickle, that_holds_itself_or_nests_a_million_deep_is_read) {
    EXPECT_TRUE(read("\x80\x02]q\x00h\x00\x61."s));
    EXPECT_TRUE(read("\x80\x02N"s + std::string(1'000'000, '\x85') + "."));
}

TEST(Pickle, never_calls_what_it_names) {
    struct Named {
        const char* module;
        const char* name;
    };
    for (const Named& named : {Named{"os", "system"}, Named{"posix", "system"}, Named{"builtins", "eval"},
                               Named{"torch", "load"}, Named{"torch.storage", "_load_from_bytes"},
                               Named{"collections", "OrderedDict.fromkeys"}, Named{"torch.nn", "Linear"}}) {
        const std::string whole = std::string(named.module) + "." + named.name;
        const std::string call =
            PickleText().global(named.module, named.name).text("touch /tmp/x").raw("\x85R").done();
        EXPECT_SAYS(refusal(call), "names the function " + whole + ", which is never called");
        const std::string fromStack = PickleText().text(named.module).text(named.name).raw("\x93)R").done();
        EXPECT_SAYS(refusal(fromStack), "names the function " + whole);
    }
}

TEST(Pickle, with_more_opcodes_than_any_state_is_refused) {
    EXPECT_SAYS(refusal("\x80\x02" + std::string(9'000'000, 'N') + "."), "more than");
    // A short list, set into dictionaries again and again, would grow without bound.
    std::string bomb = "\x80\x02](";
    for (int i = 0; i < 4096; ++i) bomb += "NN\x86";
    bomb += "e\x85q\x00" "0"s;
    for (int i = 0; i < 4096; ++i) bomb += "ccollections\nOrderedDict\nh\x00R0"s;
    EXPECT_SAYS(refusal(bomb + "N."), "more than");
}

TEST(Pickle, cut_anywhere_is_refused_and_crashes_nothing) {
    const std::string whole =
        test::statePickle({{.name = "a"}, {.name = "b", .shape = {2, 2}, .strides = {2, 1}}});
    ASSERT_TRUE(read(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_FALSE(read(whole.substr(0, length)));
}

TEST(Pickle, with_any_byte_changed_crashes_nothing) {
    const std::string whole = test::statePickle({{.name = "weight", .shape = {2, 2}, .strides = {2, 1}}});
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int value = 0; value < 256; value += 5) {
            std::string changed = whole;
            changed[at] = static_cast<char>(value);
            if (const auto pickle = read(changed)) {
                const auto state = readTorchState(*pickle, "file.bin");
                EXPECT_TRUE(state || !state.error().message.empty());
            }
        }
    }
}

}  // namespace
}  // namespace fovea::io
