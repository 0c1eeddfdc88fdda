// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/precondition.h"

#include <string>

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Precondition, that_holds_does_nothing) { EXPECT_NO_THROW(require(true, "one is one")); }

TEST(Precondition, that_is_broken_names_promise_and_place) {
    try {
        require(false, "rows are sorted");
        FAIL() << "nothing was thrown";
    } catch (const PreconditionError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("precondition_test.cpp:"), std::string::npos) << message;
        EXPECT_TRUE(message.ends_with(": rows are sorted")) << message;
    }
}

}  // namespace
}  // namespace fovea
