// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"

namespace fovea::test {

/// Who reads a broken file.
enum class BrokenKind {
    Safetensors,
    Npy,
    Npz,
    Torch,
    Index,
    Config,
    Generation,
    Preprocessing,
    Tokenizer,
    Session,
    Dump,
    Picture
};

/// As an identifier.
std::string kindName(BrokenKind kind);

/// One broken file of the catalogue, and where it lies.
struct CatalogueEntry {
    BrokenKind kind = BrokenKind::Safetensors;
    std::string file;  ///< its name in its folder
    BrokenFile broken;

    std::string name() const;  ///< of the kind, file and defect, as an identifier
};

/// Every broken file there is, by kind.
std::vector<CatalogueEntry> brokenCatalogue();
std::vector<CatalogueEntry> brokenCatalogue(BrokenKind kind);

/// Puts broken files where they belong: those of a model into a copy of a bundled one, others into a folder
/// of their own, a good recording beside sessions. One copy of each model is kept and mended after each file.
class CataloguePlaces {
public:
    /// Writes the file, in place of the one before of its kind.
    void put(const CatalogueEntry& entry);
    /// What a user opens: the model's folder, or the file itself.
    std::filesystem::path opened(const CatalogueEntry& entry) const;
    /// The file itself.
    std::filesystem::path file(const CatalogueEntry& entry) const;

private:
    std::filesystem::path folderOf(const CatalogueEntry& entry) const;
    void prepare(const CatalogueEntry& entry);

    TemporaryFolder folder_;
    std::optional<std::filesystem::path> before_;  ///< the broken file that is there
    std::optional<std::string> mended_;            ///< what stood in its place
};

/// What is said about a broken file; nothing where it was read. Takes what a user opens, and the file.
using ReadBroken =
    std::function<std::optional<std::string>(const std::filesystem::path&, const std::filesystem::path&)>;

/// Reads every broken file of a kind. What is wrong with what was said, one line a fault: it was read, it
/// lacks its sentence or the file's name, it has several lines, or the words of another defect.
std::vector<std::string> complaintsAbout(BrokenKind kind, const ReadBroken& read);

/// A message without the places that are in it, so that those of two defects can be compared.
std::string withoutPlace(std::string message, const std::filesystem::path& folder);

}  // namespace fovea::test
