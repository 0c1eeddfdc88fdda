// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fovea::test {

/// A file that is bad in exactly one way.
struct BrokenFile {
    std::string defect;    ///< the one way, as an identifier: shape_overflows
    std::string content;   ///< all bytes of the file
    std::string sentence;  ///< part of what the message about it must say; "" where its reader decides
};

/// For test names and failures.
std::ostream& operator<<(std::ostream& out, const BrokenFile& file);

/// A safetensors file of a header and data, whatever they hold.
std::string safetensorsBytes(std::string_view header, std::string_view data);

/// A version 1.0 npy file of a header literal and data, whatever they hold.
std::string npyBytes(std::string_view literal, std::string_view data);

/// Catalogues of defects. The valid neighbour of each file, with the defect mended, can be read.
std::vector<BrokenFile> brokenSafetensors();
std::vector<BrokenFile> brokenNpy();
std::vector<BrokenFile> brokenNpz();
std::vector<BrokenFile> brokenJson();
/// Of torch.save: the archive or the form before it, and the pickle in it.
std::vector<BrokenFile> brokenTorchFiles();
std::vector<BrokenFile> brokenPickles();
/// model.safetensors.index.json beside `file`, which holds `tensor`.
std::vector<BrokenFile> brokenIndices(const std::string& tensor, const std::string& file);
std::vector<BrokenFile> brokenGenerationConfigs();
std::vector<BrokenFile> brokenPreprocessing();
std::vector<BrokenFile> brokenSessions();
/// Recorded attention in safetensors files that are well-formed.
std::vector<BrokenFile> brokenDumps();
/// Each defect ends in the ending of its file.
std::vector<BrokenFile> brokenPictures();

/// The valid neighbours.
std::string goodNpyFile();
std::string goodNpz();
std::string goodTorchFile();
std::string goodDump();
/// Of a recording attention.npy beside it.
std::string goodSession();
/// By ending.
std::vector<BrokenFile> goodPictures();

/// Variants of a valid config.json of a BERT or Llama model (any keys it lacks give no variant):
/// numbers as text, heads that do not divide, an unknown type, negative, fractional, zero and
/// enormous sizes, and texts that are no configuration at all.
std::vector<BrokenFile> brokenConfigs(const nlohmann::json& valid);

/// Whether a message says what a sentence asks for: its parts, which "..." separates, in their order.
bool says(std::string_view message, std::string_view sentence);

/// Writes the content as it is.
void writeBytes(const std::filesystem::path& path, std::string_view content);

/// A copy of a model folder, whose files can then be replaced.
void copyModelFolder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace fovea::test
