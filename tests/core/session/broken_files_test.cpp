// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue of broken files, for sessions and recorded attention.
#include <gtest/gtest.h>

#include "core/session/attention_dump.h"
#include "core/session/session_file.h"
#include "tests/support/broken_catalogue.h"

namespace fovea::session {
namespace {

namespace fs = std::filesystem;
using test::BrokenKind;

Result<std::string> noHash(const fs::path&) { return ""; }

template <class T>
std::optional<std::string> messageOf(const Result<T>& result) {
    return result ? std::nullopt : std::optional(result.error().message);
}

void expectRefused(BrokenKind kind, const test::ReadBroken& read) {
    for (const std::string& complaint : test::complaintsAbout(kind, read)) ADD_FAILURE() << complaint;
}

TEST(BrokenFiles, of_sessions_each_have_their_sentence) {
    expectRefused(BrokenKind::Session,
                  [](const fs::path&, const fs::path& file) { return messageOf(readSession(file, noHash)); });
}

// A picture that another file holds is read with the panels.
TEST(BrokenFiles, of_recordings_each_have_their_sentence) {
    expectRefused(BrokenKind::Dump, [](const fs::path&, const fs::path& file) -> std::optional<std::string> {
        const auto dump = readAttentionDump(file, {});
        if (dump && dump->imageFile)
            return file.string() + " needs " + dump->imageFile->string() +
                   ": a device or pipe, expected a file";
        return messageOf(dump);
    });
}

TEST(BrokenFiles, that_are_mended_are_read) {
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "attention.npy", test::goodNpyFile());
    test::writeBytes(folder / "attention.safetensors", test::goodDump());
    test::writeBytes(folder / "work.fovea", test::goodSession());
    EXPECT_TRUE(readAttentionDump(folder / "attention.npy", {}));
    EXPECT_TRUE(readAttentionDump(folder / "attention.safetensors", {}));
    const auto session = readSession(folder / "work.fovea", noHash);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->moved.empty());
    EXPECT_EQ(session->document.sides.front().source, folder / "attention.npy");
}

}  // namespace
}  // namespace fovea::session
