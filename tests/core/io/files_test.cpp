// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

std::size_t filesIn(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(TextFiles, are_read_whole) {
    const test::TemporaryFolder folder;
    for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 100'000u}) {
        const std::string content(size, 'x');
        test::writeBytes(folder / "file", content);
        EXPECT_EQ(readTextFile(folder / "file").value(), content);
    }
}

TEST(TextFiles, up_to_the_limit_are_read_and_longer_ones_refused) {
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "file", "12345");
    EXPECT_EQ(readTextFile(folder / "file", 5).value(), "12345");
    const auto refused = readTextFile(folder / "file", 4);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              (folder / "file").string() + ": longer than 4 bytes, the most that is read");
}

TEST(TextFiles, come_through_pipes) {
    const test::TemporaryFolder folder;
    const fs::path pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    // Open at both ends here, so that the reader finds a writer.
    const int end = open(pipe.c_str(), O_RDWR);
    const std::string content(50'000, 'x');
    ASSERT_EQ(write(end, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    std::thread closer([end] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        close(end);
    });
    EXPECT_EQ(readTextFile(pipe).value(), content);
    closer.join();
}

TEST(TextFiles, a_pipe_that_nobody_writes_does_not_hang) {
    const test::TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(readTextFile(folder / "pipe").value(), "");
}

TEST(TextFiles, absent_files_folders_and_devices_are_sentences) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(readTextFile(folder / "absent").error().message,
              "cannot read " + (folder / "absent").string() + ": No such file or directory");
    EXPECT_EQ(readTextFile(folder.path()).error().message,
              "cannot read " + folder.path().string() + ": a folder, expected a file");
    EXPECT_EQ(readTextFile("/dev/zero").error().message,
              "cannot read /dev/zero: a device or pipe, expected a file");
}

TEST(Json, nested_128_deep_is_read) {
    const auto parsed = parseJson(std::string(128, '[') + std::string(128, ']'), "text");
    EXPECT_TRUE(parsed);
}

TEST(Json, brackets_within_text_do_not_nest) {
    const auto parsed = parseJson("[\"" + std::string(1000, '[') + "\\\"[\"]", "text");
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ((*parsed)[0].get<std::string>().size(), 1002u);
}

TEST(Json, whole_numbers_beyond_64_bits_are_floating_point) {
    const auto parsed =
        parseJson("[18446744073709551615, 18446744073709551616, -9223372036854775809]", "text");
    ASSERT_TRUE(parsed);
    EXPECT_TRUE((*parsed)[0].is_number_unsigned());
    EXPECT_TRUE((*parsed)[1].is_number_float());
    EXPECT_TRUE((*parsed)[2].is_number_float());
}

class BrokenJson : public testing::TestWithParam<test::BrokenFile> {};

TEST_P(BrokenJson, is_refused_in_a_sentence_that_names_file_and_place) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "broken.json";
    test::writeBytes(path, GetParam().content);
    const auto parsed = readJsonFile(path);
    ASSERT_FALSE(parsed);
    const std::string& message = parsed.error().message;
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    EXPECT_NE(message.find(GetParam().sentence), std::string::npos) << message;
    EXPECT_LT(message.size(), path.string().size() + 200) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(by_name, BrokenJson, testing::ValuesIn(test::brokenJson()),
                         [](const auto& broken) { return broken.param.defect; });

TEST(AtomicWrites, replace_the_target_and_leave_nothing_beside_it) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeFileAtomically(folder / "out.txt", "first"));
    ASSERT_TRUE(writeFileAtomically(folder / "out.txt", "second"));
    EXPECT_EQ(readTextFile(folder / "out.txt").value(), "second");
    EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(AtomicWrites, give_the_writer_a_name_with_the_targets_extension) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeAtomically(folder / "figure.svg", [&](const fs::path& temporary) -> Result<void> {
        EXPECT_EQ(temporary.extension(), ".svg");
        EXPECT_EQ(temporary.parent_path(), folder.path());
        EXPECT_FALSE(fs::exists(folder / "figure.svg"));
        test::writeBytes(temporary, "<svg/>");
        return {};
    }));
    EXPECT_EQ(readTextFile(folder / "figure.svg").value(), "<svg/>");
}

TEST(AtomicWrites, that_fail_leave_the_target_as_it_was) {
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "out", "before");
    const auto written = writeAtomically(folder / "out", [](const fs::path& temporary) -> Result<void> {
        test::writeBytes(temporary, "half");
        return fail("the disk is full", ErrorKind::Output);
    });
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "the disk is full");
    EXPECT_EQ(readTextFile(folder / "out").value(), "before");
    EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(AtomicWrites, that_throw_leave_the_target_as_it_was) {
    const test::TemporaryFolder folder;
    EXPECT_THROW((void)writeAtomically(folder / "out", [](const fs::path&) -> Result<void> { throw 1; }),
                 int);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(AtomicWrites, keep_permissions_and_symbolic_links) {
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "real", "before");
    chmod((folder / "real").c_str(), 0640);
    fs::create_symlink("real", folder / "link");
    ASSERT_TRUE(writeFileAtomically(folder / "link", "after"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(readTextFile(folder / "real").value(), "after");
    EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms(0640));
}

TEST(AtomicWrites, give_new_files_the_usual_permissions) {
    const test::TemporaryFolder folder;
    const mode_t before = umask(022);
    ASSERT_TRUE(writeFileAtomically(folder / "out", ""));
    umask(before);
    EXPECT_EQ(fs::status(folder / "out").permissions(), fs::perms(0644));
}

TEST(AtomicWrites, name_the_target_in_every_failure) {
    const test::TemporaryFolder folder;
    const auto reason = [](const fs::path& target) {
        return writeFileAtomically(target, "x").error().message;
    };
    EXPECT_EQ(reason(folder / "absent/out"),
              "cannot write " + (folder / "absent/out").string() + ": No such file or directory");
    EXPECT_EQ(reason(folder.path()), "cannot write " + folder.path().string() + ": Is a directory");
    EXPECT_EQ(reason(folder / "new/"), "cannot write " + (folder / "new/").string() + ": Is a directory");
    EXPECT_EQ(reason(""), "cannot write : No such file or directory");
    test::writeBytes(folder / "file", "");
    EXPECT_EQ(reason(folder / "file/out"),
              "cannot write " + (folder / "file/out").string() + ": Not a directory");
    EXPECT_EQ(reason(folder / std::string(300, 'x')),
              "cannot write " + (folder / std::string(300, 'x')).string() + ": File name too long");
    EXPECT_EQ(reason("/dev/full"), "cannot write /dev/full: No space left on device");
    EXPECT_EQ(filesIn(folder.path()), 1u);
}

TEST(AtomicWrites, reach_devices_without_replacing_them) {
    EXPECT_TRUE(writeFileAtomically("/dev/null", "x"));
    EXPECT_EQ(fs::status("/dev/null").type(), fs::file_type::character);
}

TEST(AtomicWrites, ended_by_an_interrupt_leave_nothing) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const test::TemporaryFolder folder;
        const pid_t child = fork();
        if (child == 0) {
            removeTemporariesOnInterrupt();
            (void)writeAtomically(folder / "out", [&](const fs::path& temporary) -> Result<void> {
                test::writeBytes(temporary, "half");
                raise(signal);
                return {};
            });
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
        EXPECT_TRUE(fs::is_empty(folder.path()));
    }
}

}  // namespace
}  // namespace fovea::io
