// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/named_arrays.h"
#include "core/support/result.h"
#include "tests/fuzz/entry.h"

namespace fovea::fuzz {

/// Something that holds of everything that a reader accepts does not hold.
class BrokenLaw : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws BrokenLaw unless `holds`.
void law(bool holds, const char* what);

/// A refusal is a sentence that can be shown anywhere: not empty, UTF-8, at most two lines without control
/// characters, short, and it names `source`.
void checkMessage(const Error& error, std::string_view source);

/// Whether there is a value; else its refusal is checked.
template <class T>
bool accepted(const Result<T>& result, std::string_view source) {
    if (!result) checkMessage(result.error(), source);
    return result.has_value();
}

/// Reads every byte, so that a sanitizer sees where they lie.
void touch(Bytes bytes);
/// The shape's elements are the bytes, all of which are touched.
void checkArray(const io::ArrayView& array);
/// Whether `part` lies in `whole`; empty ones may be anywhere.
bool liesIn(std::string_view part, Bytes whole);

std::string_view textOf(Bytes bytes);
Bytes bytesOf(std::string_view text);
/// `count` parts of an input, cut at its first zero bytes; those that are missing are empty.
std::vector<std::string> partsOf(Bytes input, std::size_t count);
/// Several parts as one input.
std::string joinedParts(const std::vector<std::string>& parts);

/// A folder in memory, one for the whole process, emptied of nothing: files are overwritten.
std::filesystem::path scratchFolder();
/// Writes a file into it (`name` may have folders) and gives its path.
std::filesystem::path scratchFile(const std::filesystem::path& name, std::string_view content);

}  // namespace fovea::fuzz
