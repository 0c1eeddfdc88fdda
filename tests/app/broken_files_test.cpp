// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue of broken files, given to the commands that read them: exit 1, one or two lines that name the
// file and say the defect's own sentence.
#include <gtest/gtest.h>

#include "tests/app/fovea_process.h"
#include "tests/support/broken_catalogue.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

class BrokenFilesInCommands : public testing::TestWithParam<BrokenKind> {
protected:
    BrokenFilesInCommands() {
        for (const BrokenFile& picture : goodPictures()) {
            if (picture.defect == "png") writeBytes(output_ / "good.png", picture.content);
        }
    }
    std::vector<std::string> lineFor(const CatalogueEntry& entry) const {
        const std::string opened = places_.opened(entry).string(), file = places_.file(entry).string();
        const std::string out = (output_ / "out").string();
        const std::string picture = (output_ / "good.png").string();
        const std::string reader = (bundledDataFolder() / "models/vit-classifier").string();
        switch (entry.kind) {
            case BrokenKind::Safetensors:
            case BrokenKind::Npy:
            case BrokenKind::Npz: return {"attend", file, "-o", out + ".npy"};
            case BrokenKind::Torch:
            case BrokenKind::Index:
            case BrokenKind::Config:
            case BrokenKind::Generation: return {"info", opened};
            case BrokenKind::Tokenizer: return {"tokenize", opened, "--text", "a"};
            case BrokenKind::Preprocessing:
                return {"trace", opened, "--image", picture, "-o", out + ".safetensors"};
            case BrokenKind::Picture: return {"trace", reader, "--image", file, "-o", out + ".safetensors"};
            case BrokenKind::Session:
            case BrokenKind::Dump: return {"export", file, "-o", out + ".svg"};
        }
        return {};
    }
    CataloguePlaces places_;
    TemporaryFolder output_;
};

// What a message must hold, whatever a command writes around it.
std::vector<std::string> partsOf(const std::string& sentence) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = sentence.find("..."); at != std::string::npos; at = sentence.find("...", from)) {
        parts.push_back(sentence.substr(from, at - from));
        from = at + 3;
    }
    parts.push_back(sentence.substr(from));
    return parts;
}

TEST_P(BrokenFilesInCommands, are_refused_by_name) {
    for (const CatalogueEntry& entry : brokenCatalogue(GetParam())) {
        places_.put(entry);
        std::vector<std::string> words = partsOf(entry.broken.sentence);
        words.push_back(entry.file);
        EXPECT_TRUE(refused(fovea(lineFor(entry)), 1, words)) << entry.name();
    }
    for (const auto& left : fs::directory_iterator(output_.path()))
        EXPECT_EQ(left.path().filename(), "good.png") << "was left behind";
}
INSTANTIATE_TEST_SUITE_P(By, BrokenFilesInCommands,
                         testing::Values(BrokenKind::Safetensors, BrokenKind::Npy, BrokenKind::Npz,
                                         BrokenKind::Torch, BrokenKind::Index, BrokenKind::Config,
                                         BrokenKind::Generation, BrokenKind::Preprocessing,
                                         BrokenKind::Tokenizer, BrokenKind::Session, BrokenKind::Dump,
                                         BrokenKind::Picture),
                         [](const auto& kind) { return kindName(kind.param); });

TEST(FileNames, of_any_bytes_are_told_in_one_or_two_lines) {
    const TemporaryFolder folder;
    const std::string names[] = {
        "line\nfeed\nand\nanother.npy", "quote\"'.npy", "\xff\xfe not UTF-8.npy",      "\x1b[2Jclears.npy",
        "-starts with a dash.npy",      " .npy",        std::string(251, 'n') + ".npy"};
    for (const std::string& name : names) {
        writeBytes(folder / name, "no array");
        const ProgramResult result = fovea({"attend", (folder / name).string(), "-o", folder / "out.npy"});
        EXPECT_TRUE(refused(result, 1, {"not an npy file"})) << name;
        EXPECT_FALSE(result.err.contains('\x1b')) << name;
    }
    const std::string endless = (folder / std::string(5000, 'x')).string();
    EXPECT_TRUE(refused(fovea({"attend", endless, "-o", folder / "out.npy"}), 1));
}

TEST(Devices, pipes_and_folders_are_refused_where_a_file_is_expected) {
    const TemporaryFolder folder;
    const std::string out = (folder / "out.npy").string();
    for (const char* place : {"/dev/zero", "/dev/null", "/proc/self/mem", "/dev"}) {
        const fs::path link = folder / "array.npy";
        fs::remove(link);
        fs::create_symlink(place, link);
        EXPECT_TRUE(refused(fovea({"attend", link.string(), "-o", out}), 1, {"array.npy"})) << place;
    }
}

}  // namespace
}  // namespace fovea::test
