// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/runtime_module.h"

#include <stdlib.h>

#include <gtest/gtest.h>

#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

// Only before the module is open in this process; each test has its own process under ctest.
class BrokenRuntime : public testing::Test {
protected:
    void SetUp() override {
        if (model::runtimeLoaded()) GTEST_SKIP() << "the run-time module is open already";
    }
    void TearDown() override { unsetenv("FOVEA_RUNTIME"); }

    static std::string refusalOf(const std::string& file) {
        setenv("FOVEA_RUNTIME", file.c_str(), 1);
        const auto runtime = model::openRuntime();
        EXPECT_FALSE(runtime);
        EXPECT_FALSE(model::runtimeLoaded());
        return runtime ? std::string() : runtime.error().message;
    }
};

TEST_F(BrokenRuntime, that_is_absent_is_a_sentence) {
    const TemporaryFolder folder;
    const std::string file = (folder / "libfovea_torch.so").string();
    EXPECT_NE(refusalOf(file).find(file), std::string::npos);
}

TEST_F(BrokenRuntime, that_is_no_library_is_a_sentence) {
    const TemporaryFolder folder;
    writeBytes(folder / "libfovea_torch.so", "not a library");
    const std::string message = refusalOf((folder / "libfovea_torch.so").string());
    EXPECT_NE(message.find("libfovea_torch.so"), std::string::npos) << message;
    EXPECT_NE(message.find("LibTorch"), std::string::npos) << message;
}

TEST_F(BrokenRuntime, that_is_another_library_is_a_sentence) {
    const std::string message = refusalOf("/proc/self/exe");
    EXPECT_NE(message.find("run-time module"), std::string::npos) << message;
}

TEST_F(BrokenRuntime, does_not_spoil_the_next_attempt) {
    refusalOf("/nowhere/libfovea_torch.so");
    unsetenv("FOVEA_RUNTIME");
    const auto runtime = model::openRuntime();
    ASSERT_TRUE(runtime) << runtime.error().message;
    EXPECT_TRUE(model::runtimeLoaded());
    EXPECT_FALSE((*runtime)->version().empty());
}

TEST(Runtime, is_opened_once) {
    const auto first = model::openRuntime(), second = model::openRuntime();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(*first, *second);
}

TEST(Runtime, keeps_waiting_threads_quiet_unless_told_otherwise) {
    ASSERT_TRUE(model::openRuntime());
    EXPECT_NE(getenv("GOMP_SPINCOUNT"), nullptr);
    EXPECT_NE(getenv("OMP_WAIT_POLICY"), nullptr);
}

}  // namespace
}  // namespace fovea::test
