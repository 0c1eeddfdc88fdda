// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/broken_catalogue.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/support/broken_tokenizers.h"
#include "tests/support/torch_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

struct KindFacts {
    BrokenKind kind;
    const char* name;
    const char* model;  ///< the bundled model that the file belongs to; none: it stands alone
};
constexpr KindFacts kinds[] = {
    {BrokenKind::Safetensors, "safetensors", nullptr},
    {BrokenKind::Npy, "npy", nullptr},
    {BrokenKind::Npz, "npz", nullptr},
    {BrokenKind::Torch, "torch", "vit-classifier"},
    {BrokenKind::Index, "index", "vit-classifier"},
    {BrokenKind::Config, "config", "llama-gqa"},
    {BrokenKind::Generation, "generation", "llama-gqa"},
    {BrokenKind::Preprocessing, "preprocessing", "vit-classifier"},
    {BrokenKind::Tokenizer, "tokenizer", "llama-gqa"},
    {BrokenKind::Session, "session", nullptr},
    {BrokenKind::Dump, "dump", nullptr},
    {BrokenKind::Picture, "picture", nullptr},
};

const KindFacts& factsOf(BrokenKind kind) { return *std::ranges::find(kinds, kind, &KindFacts::kind); }

constexpr const char* shard = "model-00001-of-00001.safetensors";

std::string bytesOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<BrokenFile> pickledFiles() {
    std::vector<BrokenFile> files;
    for (BrokenFile& pickle : brokenPickles())
        files.push_back({"pickle_" + pickle.defect, torchZip(pickle.content, {}), pickle.sentence});
    return files;
}

// The broken file is the only one of its folder, or one of two that go together.
void prepareTokenizer(const fs::path& folder, const std::string& file) {
    for (const char* other : {"tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json",
                              "merges.txt", "tokenizer.model"})
        fs::remove(folder / other);
    if (file == "vocab.json") writeBytes(folder / "merges.txt", soundMerges());
    if (file == "merges.txt") writeBytes(folder / "vocab.json", soundVocabulary());
}

bool sameDefect(const std::string& one, const std::string& other) {
    // Of pictures of two formats.
    if (one.substr(0, one.find('.')) == other.substr(0, other.find('.'))) return true;
    return one.starts_with(other) || other.starts_with(one) || one.ends_with("_" + other) ||
           other.ends_with("_" + one);
}

void add(std::vector<CatalogueEntry>& catalogue, BrokenKind kind, const std::string& file,
         std::vector<BrokenFile> files) {
    for (BrokenFile& broken : files) catalogue.push_back({kind, file, std::move(broken)});
}

void addPictures(std::vector<CatalogueEntry>& catalogue) {
    for (BrokenFile& broken : brokenPictures()) {
        const std::string file = "picture" + broken.defect.substr(broken.defect.find('.'));
        catalogue.push_back({BrokenKind::Picture, file, std::move(broken)});
    }
}

}  // namespace

std::string kindName(BrokenKind kind) { return factsOf(kind).name; }

std::string CatalogueEntry::name() const {
    std::string name = std::string(factsOf(kind).name) + "_" + file + "_" + broken.defect;
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

std::vector<CatalogueEntry> brokenCatalogue() {
    const fs::path models = bundledDataFolder() / "models";
    const auto config = nlohmann::json::parse(bytesOf(models / "llama-gqa/config.json"));
    std::vector<CatalogueEntry> catalogue;
    add(catalogue, BrokenKind::Safetensors, "array.safetensors", brokenSafetensors());
    add(catalogue, BrokenKind::Npy, "array.npy", brokenNpy());
    add(catalogue, BrokenKind::Npz, "array.npz", brokenNpz());
    add(catalogue, BrokenKind::Torch, "pytorch_model.bin", brokenTorchFiles());
    add(catalogue, BrokenKind::Torch, "pytorch_model.bin", pickledFiles());
    add(catalogue, BrokenKind::Index, "model.safetensors.index.json",
        brokenIndices("classifier.bias", shard));
    add(catalogue, BrokenKind::Config, "config.json", brokenConfigs(config));
    add(catalogue, BrokenKind::Generation, "generation_config.json", brokenGenerationConfigs());
    add(catalogue, BrokenKind::Preprocessing, "preprocessor_config.json", brokenPreprocessing());
    add(catalogue, BrokenKind::Tokenizer, "tokenizer.json", brokenTokenizerFiles());
    add(catalogue, BrokenKind::Tokenizer, "vocab.txt", brokenWordLists());
    add(catalogue, BrokenKind::Tokenizer, "vocab.json", brokenVocabularies());
    add(catalogue, BrokenKind::Tokenizer, "merges.txt", brokenMerges());
    add(catalogue, BrokenKind::Tokenizer, "tokenizer.model", brokenSentencePiece());
    add(catalogue, BrokenKind::Session, "work.fovea", brokenSessions());
    add(catalogue, BrokenKind::Dump, "attention.safetensors", brokenDumps());
    addPictures(catalogue);
    return catalogue;
}

std::vector<CatalogueEntry> brokenCatalogue(BrokenKind kind) {
    std::vector<CatalogueEntry> catalogue = brokenCatalogue();
    std::erase_if(catalogue, [kind](const CatalogueEntry& entry) { return entry.kind != kind; });
    return catalogue;
}

fs::path CataloguePlaces::folderOf(const CatalogueEntry& entry) const {
    return folder_ / factsOf(entry.kind).name;
}

fs::path CataloguePlaces::file(const CatalogueEntry& entry) const { return folderOf(entry) / entry.file; }

fs::path CataloguePlaces::opened(const CatalogueEntry& entry) const {
    return factsOf(entry.kind).model ? folderOf(entry) : file(entry);
}

void CataloguePlaces::prepare(const CatalogueEntry& entry) {
    const fs::path folder = folderOf(entry);
    if (fs::exists(folder)) return;
    const char* model = factsOf(entry.kind).model;
    if (model) fs::copy(bundledDataFolder() / "models" / model, folder, fs::copy_options::recursive);
    else fs::create_directory(folder);
    if (entry.kind == BrokenKind::Index) fs::rename(folder / "model.safetensors", folder / shard);
    if (entry.kind == BrokenKind::Torch) fs::remove(folder / "model.safetensors");
    if (entry.kind == BrokenKind::Session) writeBytes(folder / "attention.npy", goodNpyFile());
}

void CataloguePlaces::put(const CatalogueEntry& entry) {
    prepare(entry);
    const fs::path place = file(entry);
    if (before_ && mended_) writeBytes(*before_, *mended_);
    else if (before_) fs::remove(*before_);
    mended_ = fs::exists(place) ? std::optional(bytesOf(place)) : std::nullopt;
    before_ = place;
    if (entry.kind == BrokenKind::Tokenizer) prepareTokenizer(folderOf(entry), entry.file);
    writeBytes(place, entry.broken.content);
}

std::vector<std::string> complaintsAbout(BrokenKind kind, const ReadBroken& read) {
    std::vector<std::string> complaints;
    std::map<std::string, std::string> sentences;
    CataloguePlaces places;
    for (const CatalogueEntry& entry : brokenCatalogue(kind)) {
        places.put(entry);
        const auto complain = [&](const std::string& what) {
            complaints.push_back(entry.broken.defect + ": " + what);
        };
        const std::optional<std::string> message = read(places.opened(entry), places.file(entry));
        if (!message) {
            complain("was read");
            continue;
        }
        if (!says(*message, entry.broken.sentence))
            complain(*message + "\n    lacks: " + entry.broken.sentence);
        if (!message->contains(entry.file)) complain("does not name the file: " + *message);
        if (message->contains('\n')) complain("has several lines: " + *message);
        const auto [other, fresh] =
            sentences.emplace(withoutPlace(*message, places.file(entry)), entry.broken.defect);
        // The same defect may lie in another form of the file.
        if (!fresh && !sameDefect(other->second, entry.broken.defect))
            complain("has the sentence of " + other->second + ": " + *message);
    }
    return complaints;
}

std::string withoutPlace(std::string message, const fs::path& folder) {
    const std::string place = folder.string();
    for (std::size_t at = message.find(place); at != std::string::npos; at = message.find(place))
        message.erase(at, place.size());
    return message;
}

}  // namespace fovea::test
