// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_session.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <fstream>

#include "tests/support/test_data.h"
#include "tests/widgets/synthetic_model.h"

namespace fovea::widgets {

namespace {

using test::SyntheticBehaviour;
using test::waitFor;

struct ModelSessionTest : ::testing::Test {
    std::shared_ptr<SyntheticBehaviour> behaviour = std::make_shared<SyntheticBehaviour>();
    ModelSession session{test::syntheticOpener(behaviour)};
    QSignalSpy opened{&session, &ModelSession::opened};
    QSignalSpy openFailed{&session, &ModelSession::openFailed};
    QSignalSpy ran{&session, &ModelSession::ran};
    QSignalSpy runFailed{&session, &ModelSession::runFailed};

    void openSynthetic() {
        session.open({.source = "/synthetic"});
        ASSERT_TRUE(waitFor([&] { return !session.busy(); }));
        ASSERT_NE(session.run(), nullptr);
    }
    static session::InputChoice words(const std::string& text) {
        return {{text, std::nullopt}, std::nullopt};
    }
};

TEST_F(ModelSessionTest, opening_gives_a_run_with_labelled_tokens) {
    QSignalSpy progressed(&session, &ModelSession::progressed);
    openSynthetic();
    EXPECT_EQ(opened.count(), 1);
    EXPECT_GE(progressed.count(), 1);
    EXPECT_FALSE(session.run()->input.text.text.empty());
    EXPECT_EQ(session.run()->own->tokens.size(), session.run()->prepared.input.inputIds.size());
}

TEST_F(ModelSessionTest, a_failed_opening_keeps_the_run) {
    openSynthetic();
    const auto before = session.run();
    behaviour->failsToOpen = true;
    session.open({.source = "/elsewhere"});
    ASSERT_TRUE(waitFor([&] { return openFailed.count() == 1; }));
    EXPECT_TRUE(openFailed.front().front().toString().contains(QStringLiteral("/elsewhere")));
    EXPECT_EQ(session.run(), before);
}

TEST_F(ModelSessionTest, a_text_that_is_too_long_keeps_the_run_and_gives_the_numbers) {
    openSynthetic();
    const auto before = session.run();
    std::string text;
    for (int word = 0; word < 60; ++word) text += "word ";
    session.runInput(words(text));
    ASSERT_TRUE(waitFor([&] { return runFailed.count() == 1; }));
    EXPECT_TRUE(runFailed.front().front().toString().contains(QStringLiteral("60")));
    EXPECT_EQ(session.run(), before);
}

TEST_F(ModelSessionTest, the_newest_text_wins) {
    openSynthetic();
    behaviour->runTime = std::chrono::milliseconds(30);
    for (const char* text : {"one", "one two", "one two three"}) session.runInput(words(text));
    ASSERT_TRUE(waitFor([&] { return !session.busy(); }));
    EXPECT_EQ(ran.count(), 1);
    EXPECT_EQ(session.run()->input.text.text, "one two three");
}

TEST_F(ModelSessionTest, cancel_keeps_the_run) {
    openSynthetic();
    const auto before = session.run();
    behaviour->runTime = std::chrono::seconds(100);
    QSignalSpy cancelled(&session, &ModelSession::cancelled);
    session.runInput(words("one two"));
    ASSERT_TRUE(waitFor([&] { return behaviour->runs == 2; }));
    session.cancel();
    EXPECT_FALSE(session.busy());
    EXPECT_EQ(cancelled.count(), 1);
    EXPECT_TRUE(waitFor([&] { return behaviour->stopped == 1; }));
    EXPECT_EQ(session.run(), before);
}

TEST_F(ModelSessionTest, a_text_does_not_stop_an_opening) {
    openSynthetic();
    behaviour->runTime = std::chrono::milliseconds(20);
    session.open({.source = "/synthetic"});
    session.runInput(words("one two"));
    ASSERT_TRUE(waitFor([&] { return !session.busy(); }));
    EXPECT_EQ(opened.count(), 2);
}

TEST(Source, of_a_file_is_the_folder_around_it_unless_it_is_a_dump) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "config.json") << "{}";
    EXPECT_EQ(sourceOf(folder / "config.json"), folder.path());
    EXPECT_EQ(sourceOf(folder.path()), folder.path());
    EXPECT_EQ(sourceOf(folder.path() / ""), folder.path());
    EXPECT_EQ(sourceOf(folder / "missing"), folder / "missing");
    std::ofstream(folder / "model.safetensors") << "weights of the folder";
    EXPECT_EQ(sourceOf(folder / "model.safetensors"), folder.path());
    const test::TemporaryFolder elsewhere;
    std::ofstream(elsewhere / "attention.npz") << "a dump";
    EXPECT_EQ(sourceOf(elsewhere / "attention.npz"), elsewhere / "attention.npz");
}

}  // namespace

}  // namespace fovea::widgets
