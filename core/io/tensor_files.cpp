// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/tensor_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/file_descriptor.h"
#include "core/io/files.h"
#include "core/io/folder_links.h"
#include "core/io/message_text.h"
#include "core/io/safetensors.h"
#include "core/io/torch_file.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

// What a repository of Git holds in place of a large file that was not fetched.
constexpr std::string_view pointerBeginning = "version https://git-lfs";

// The first bytes of a file that is no pointer.
Result<std::string> beginningOf(const fs::path& file) {
    const auto opened = openForReading(file, PipesAllowed::No);
    if (!opened) return std::unexpected(opened.error());
    std::string bytes(64, '\0');
    const ssize_t count = ::read(opened->descriptor.get(), bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    if (!bytes.starts_with(pointerBeginning)) return bytes;
    return fail(
        fmt::format("{}: a pointer of Git LFS, expected the weights themselves: fetch them with \"git lfs "
                    "pull\", or download the file",
                    file.string()));
}

bool beginsLikePickle(std::string_view beginning) {
    // The length of a safetensors header may begin with the byte that every pickle begins with.
    const bool header = beginning.size() > 8 && beginning[8] == '{';
    return beginning.starts_with("PK\x03\x04") || (beginning.starts_with('\x80') && !header);
}

// A name that stays in the index's folder.
bool isPlainName(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && !name.contains('/') && !name.contains('\0');
}

Result<std::map<std::string, std::string>> readIndex(const fs::path& index) {
    const Result<nlohmann::json> root = readJsonFile(index);
    if (!root) return std::unexpected(root.error());
    const auto failed = [&](std::string_view reason) {
        return fail(fmt::format("{}: expected {}", index.string(), reason));
    };
    if (!root->is_object()) return failed("an object with weight_map, found something else");
    const auto found = root->find("weight_map");
    if (found == root->end() || !found->is_object() || found->empty())
        return failed(fmt::format("weight_map to be an object of tensors and their files, found {}",
                                  found == root->end()   ? "none"
                                  : found->is_array()   ? "a list"
                                  : !found->is_object() ? found->type_name()
                                                        : "an empty one"));
    std::map<std::string, std::string> files;
    for (const auto& [tensor, file] : found->items()) {
        if (!file.is_string() || !isPlainName(file.get<std::string>())) {
            return failed(
                fmt::format("the name of a file beside it for tensor {}, found {}", quotable(tensor),
                            quotable(file.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))));
        }
        files.emplace(tensor, file.get<std::string>());
    }
    return files;
}

}  // namespace

void TensorFiles::add(const std::string& name, StoredTensor tensor) {
    if (tensors_.emplace(name, std::move(tensor)).second) names_.push_back(name);
}

Result<void> TensorFiles::addFile(const fs::path& file) {
    const auto beginning = beginningOf(file);
    if (!beginning) return std::unexpected(beginning.error());
    // An ending may lie: torch.save writes either name.
    const bool pickled = beginsLikePickle(*beginning) || file.extension() != ".safetensors";
    format_ = pickled ? "pytorch" : "safetensors";
    if (pickled) {
        const auto opened = TorchFile::open(file);
        if (!opened) return std::unexpected(opened.error());
        for (const auto& [name, tensor] : (*opened)->tensors) add(name, tensor);
        owners_.push_back(*opened);
        return {};
    }
    const auto opened = SafetensorsFile::open(file);
    if (!opened) return std::unexpected(opened.error());
    for (const std::string& name : (*opened)->names()) {
        const ArrayView* view = (*opened)->find(name);
        add(name, {view->type, view->shape, stridesInOrder(view->shape), view->bytes, file});
    }
    owners_.push_back(*opened);
    return {};
}

Result<std::shared_ptr<const TensorFiles>> TensorFiles::openFile(const fs::path& file) {
    auto files = std::make_shared<TensorFiles>();
    files->path_ = file;
    if (auto added = files->addFile(file); !added) return std::unexpected(added.error());
    return files;
}

Result<std::shared_ptr<const TensorFiles>> TensorFiles::openIndex(const fs::path& index) {
    const auto listed = readIndex(index);
    if (!listed) return std::unexpected(listed.error());
    // Each file's own tensors first, so that one which lies in two files is that of the listed one.
    std::map<std::string, std::vector<std::string>> tensorsOf;
    for (const auto& [tensor, file] : *listed) tensorsOf[file].push_back(tensor);
    auto files = std::make_shared<TensorFiles>();
    files->path_ = index;
    for (const auto& [file, tensors] : tensorsOf) {
        const fs::path path = index.parent_path() / file;
        std::error_code ignored;
        if (!fs::exists(path, ignored)) {
            return fail(fmt::format("{}: lists the file {}, which is not in the folder: download it as well",
                                    index.string(), quotable(file)));
        }
        if (auto inside = checkStaysInFolder(path, index.parent_path()); !inside)
            return std::unexpected(inside.error());
        TensorFiles part;
        if (auto added = part.addFile(path); !added) return std::unexpected(added.error());
        for (const std::string& tensor : tensors) {
            if (part.find(tensor)) continue;
            return fail(fmt::format("{}: lists tensor {} in {}, which does not hold it", index.string(),
                                    quotable(tensor), quotable(file)));
        }
        for (const std::string& name : part.names_) {
            const auto place = listed->find(name);
            if (place != listed->end() && place->second != file) continue;
            files->add(name, std::move(part.tensors_.find(name)->second));
        }
        files->owners_.push_back(std::move(part.owners_.front()));
        files->format_ = part.format_;
    }
    return files;
}

std::shared_ptr<const TensorFiles> TensorFiles::joined(const TensorFiles& base, const TensorFiles& more,
                                                       const std::string& prefix) {
    auto files = std::make_shared<TensorFiles>(base);
    for (const std::string& name : more.names_) files->add(prefix + name, *more.find(name));
    files->owners_.insert(files->owners_.end(), more.owners_.begin(), more.owners_.end());
    return files;
}

const StoredTensor* TensorFiles::find(std::string_view name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

void TensorFiles::release(const StoredTensor& tensor) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
    const std::uintptr_t first = (begin + page - 1) / page * page;
    const std::uintptr_t end = (begin + tensor.bytes.size()) / page * page;
    // Pages of a read-only mapping hold nothing that would be lost.
    if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

}  // namespace fovea::io
