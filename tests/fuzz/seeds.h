// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/entry.h"
#include "tests/support/broken_catalogue.h"

namespace fovea::fuzz {

/// What an entry begins with: its own seeds, and what once broke a law (`tests/fuzz/findings/NAME`).
std::vector<Seed> seedsOf(const Entry& entry);

/// All bytes of a file.
std::string contentOf(const std::filesystem::path& file);

/// Files of the test data (those that were found, and those of the checkout) whose names end in `ending`,
/// of at most `longest` bytes, each content once.
std::vector<Seed> filesEndingIn(std::string_view ending, std::size_t longest);

/// Defects of a catalogue of at most `longest` bytes.
std::vector<Seed> defects(const std::vector<test::BrokenFile>& catalogue, std::size_t longest);

/// The broken files of a kind (those of this name, if one is given) of at most `longest` bytes.
std::vector<Seed> brokenFiles(test::BrokenKind kind, std::size_t longest, std::string_view name = {});

/// `more` behind `seeds`.
void append(std::vector<Seed>& seeds, std::vector<Seed> more);

}  // namespace fovea::fuzz
