// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/message_text.h"

#include <gtest/gtest.h>

namespace fovea::io {
namespace {

TEST(QuotableText, is_utf8_whatever_the_file_holds) {
    EXPECT_EQ(quotable("\xff"), "\xEF\xBF\xBD");
    EXPECT_EQ(quotable("a\xC3(b"), "a\xEF\xBF\xBD(b");
    EXPECT_EQ(quotable("fortran\xdforder"), "fortran\xEF\xBF\xBDorder");
    EXPECT_EQ(quotable("weiß"), "weiß");
}

TEST(QuotableText, stands_on_one_line_without_control_characters) {
    EXPECT_EQ(quotable("a\nb\x1b[31m\x7f"), "a?b?[31m?");
}

TEST(QuotableText, is_cut_between_characters) {
    const std::string long79 = std::string(79, 'x');
    EXPECT_EQ(quotable(long79 + "ßy"), long79 + "...");
    EXPECT_EQ(quotable(long79 + "y"), long79 + "y");
}

TEST(WellFormedText, keeps_what_is_utf8_and_replaces_the_rest) {
    EXPECT_EQ(wellFormed(""), "");
    EXPECT_EQ(wellFormed("\"日本\"\n\\"), "\"日本\"\n\\");
    EXPECT_EQ(wellFormed("\xED\xA0\x80").find('\xED'), std::string::npos);
}

}  // namespace
}  // namespace fovea::io
