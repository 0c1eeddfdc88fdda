// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue of broken files, for what a model's folder holds.
#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/support/broken_catalogue.h"

namespace fovea::model {
namespace {

namespace fs = std::filesystem;
using test::BrokenKind;

void expectRefused(BrokenKind kind) {
    const auto read = [](const fs::path& folder, const fs::path&) {
        const auto info = describeFolder(folder);
        return info ? std::nullopt : std::optional(info.error().message);
    };
    for (const std::string& complaint : test::complaintsAbout(kind, read)) ADD_FAILURE() << complaint;
}

TEST(BrokenFiles, of_configurations_each_have_their_sentence) { expectRefused(BrokenKind::Config); }
TEST(BrokenFiles, that_say_how_to_write_each_have_their_sentence) { expectRefused(BrokenKind::Generation); }
TEST(BrokenFiles, of_weights_each_have_their_sentence_in_a_folder) { expectRefused(BrokenKind::Torch); }
TEST(BrokenFiles, of_indices_each_have_their_sentence_in_a_folder) { expectRefused(BrokenKind::Index); }

}  // namespace
}  // namespace fovea::model
