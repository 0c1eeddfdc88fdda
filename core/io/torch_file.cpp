// SPDX-License-Identifier: GPL-3.0-or-later
//
// What torch.save writes.
//
// Since 1.6 a zip archive, its entries stored as they are, aligned to 64 bytes:
//   NAME/data.pkl        a pickle of the dictionary; see pickle_reader and torch_state
//   NAME/data/KEY        the bytes of storage KEY
//   NAME/byteorder       "little" or "big" (absent in older files: little)
//   NAME/version, ...    not needed
// Before, one after the other:
//   pickle               the number 0x1950a86a20f9469cfc6c
//   pickle               the number 1001
//   pickle               a dictionary of the machine: "little_endian", sizes of types
//   pickle               the dictionary of tensors
//   pickle               a list of the storages' keys, and for each, in that order:
//     8 bytes            its number of elements, little-endian
//     ...                its bytes
#include "core/io/torch_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/io/message_text.h"
#include "core/io/pickle_reader.h"
#include "core/io/torch_state.h"
#include "core/io/zip_directory.h"

namespace fovea::io {
namespace {

using Bytes = std::span<const std::byte>;
using Storages = std::map<std::string_view, Bytes>;

constexpr std::string_view zipBeginning = "PK\x03\x04";
constexpr std::string_view oldBeginning("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);

std::string_view textOf(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Whatever begins with a pickle's protocol and the magic number, in any protocol.
bool looksOld(Bytes bytes) {
    const std::string_view text = textOf(bytes);
    return text.size() > oldBeginning.size() && text[0] == oldBeginning[0] &&
           text.substr(0, 32).contains(oldBeginning.substr(2));
}

/// What the two forms have in common once the storages are found.
struct Content {
    Pickle pickle;
    TorchState state;
    Storages storages;
};

Result<std::vector<std::pair<std::string, StoredTensor>>> tensorsOf(const Content& content,
                                                                    const std::filesystem::path& path) {
    std::vector<std::pair<std::string, StoredTensor>> tensors;
    tensors.reserve(content.state.tensors.size());
    for (const auto& [name, tensor] : content.state.tensors) {
        const auto found = content.storages.find(tensor.storage);
        const std::uint64_t expected = content.state.storages.at(tensor.storage).bytes();
        if (found == content.storages.end()) {
            return fail(fmt::format("{}: tensor {}: its storage {} of {} bytes is missing in the file",
                                    path.string(), quotable(name), quotable(tensor.storage), expected));
        }
        if (found->second.size() < expected) {
            return fail(fmt::format(
                "{}: tensor {}: its storage {} has {} bytes, expected {}: cut short, download or copy it "
                "again",
                path.string(), quotable(name), quotable(tensor.storage), found->second.size(), expected));
        }
        StoredTensor stored{tensor.type, tensor.shape, tensor.strides, {}, path};
        const std::size_t size = elementSize(tensor.type);
        stored.bytes = found->second.subspan(tensor.offset * size);
        if (stored.inOrder()) stored.bytes = stored.bytes.first(stored.count() * size);
        tensors.emplace_back(name, std::move(stored));
    }
    return tensors;
}

Result<Content> readZip(Bytes bytes, const std::string& source) {
    const auto entries = readZipDirectory(bytes, source);
    if (!entries) return std::unexpected(entries.error());
    constexpr std::string_view pickleName = "/data.pkl";
    const auto ends = [](const ZipEntry& entry, std::string_view end) { return entry.name.ends_with(end); };
    const auto main =
        std::ranges::find_if(*entries, [&](const auto& entry) { return ends(entry, pickleName); });
    if (main == entries->end()) {
        return fail(fmt::format("{}: expected a zip archive of PyTorch with data.pkl, found one without it",
                                source));
    }
    const std::string_view folder = main->name.substr(0, main->name.size() - pickleName.size() + 1);
    Content content;
    const std::string dataFolder = std::string(folder) + "data/";
    for (const ZipEntry& entry : *entries) {
        if (!entry.name.starts_with(folder)) continue;
        const std::string_view name = entry.name.substr(folder.size());
        if (name == "constants.pkl") {
            return fail(
                fmt::format("{}: a TorchScript program, expected a dictionary of tensors (open the file "
                            "itself, or save model.state_dict())",
                            source),
                ErrorKind::Unsupported);
        }
        const bool storage = entry.name.starts_with(dataFolder);
        if (!storage && name != "byteorder") continue;
        const auto bytesOf = storedContent(bytes, entry, source);
        if (!bytesOf) return std::unexpected(bytesOf.error());
        if (storage) content.storages.emplace(entry.name.substr(dataFolder.size()), *bytesOf);
        else if (textOf(*bytesOf) != "little") {
            return fail(fmt::format("{}: written on a machine of byte order {}, expected little", source,
                                    quotable(textOf(*bytesOf))));
        }
    }
    const auto code = storedContent(bytes, *main, source);
    if (!code) return std::unexpected(code.error());
    Result<Pickle> pickle = readPickle(*code, source, torchStatePermits);
    if (!pickle) return std::unexpected(pickle.error());
    content.pickle = std::move(*pickle);
    Result<TorchState> state = readTorchState(content.pickle, source);
    if (!state) return std::unexpected(state.error());
    content.state = std::move(*state);
    return content;
}

bool bigEndian(const Pickle& machine) {
    const PickleValue& facts = machine.top();
    for (std::size_t i = 0; i + 1 < facts.items.size(); i += 2) {
        if (machine.item(facts, i).text == "little_endian") return machine.item(facts, i + 1).number == 0;
    }
    return false;
}

// Reads one pickle and takes it off the front.
Result<Pickle> takePickle(Bytes& rest, const std::string& source) {
    Result<Pickle> pickle = readPickle(rest, source, torchStatePermits);
    if (pickle) rest = rest.subspan(pickle->size);
    return pickle;
}

Result<Storages> takeStorages(Bytes rest, const Pickle& keys, const TorchState& state,
                              const std::string& source) {
    Storages storages;
    for (const PickleIndex index : keys.top().items) {
        const std::string_view key = keys.at(index).text;
        const auto known = state.storages.find(key);
        if (known == state.storages.end())
            return fail(fmt::format("{}: holds a storage {} that nothing describes", source, quotable(key)));
        std::uint64_t count = 0, bytes = 0;
        const bool counted = rest.size() >= sizeof count;
        if (counted) std::memcpy(&count, rest.data(), sizeof count);
        if (counted) rest = rest.subspan(sizeof count);
        if (!counted || __builtin_mul_overflow(count, known->second.elementBytes, &bytes) ||
            bytes > rest.size()) {
            return fail(
                fmt::format("{}: storage {} claims {} elements of {} bytes, but only {} bytes follow: cut "
                            "short, download or copy it again",
                            source, quotable(key), count, known->second.elementBytes, rest.size()));
        }
        storages.emplace(key, rest.first(bytes));
        rest = rest.subspan(bytes);
    }
    return storages;
}

Result<Content> readOld(Bytes bytes, const std::string& source) {
    Bytes rest = bytes;
    for (int introduction = 0; introduction < 3; ++introduction) {
        const Result<Pickle> pickle = takePickle(rest, source);
        if (!pickle) return std::unexpected(pickle.error());
        if (introduction == 2 && bigEndian(*pickle)) {
            return fail(
                fmt::format("{}: written on a machine of byte order big, expected little", source));
        }
    }
    Result<Pickle> pickle = takePickle(rest, source);
    if (!pickle) return std::unexpected(pickle.error());
    Result<TorchState> state = readTorchState(*pickle, source);
    if (!state) return std::unexpected(state.error());
    const Result<Pickle> keys = takePickle(rest, source);
    if (!keys) return std::unexpected(keys.error());
    Result<Storages> storages = takeStorages(rest, *keys, *state, source);
    if (!storages) return std::unexpected(storages.error());
    return Content{std::move(*pickle), std::move(*state), std::move(*storages)};
}

// The beginning of a file that may be anything, as a message may quote it.
std::string beginningOf(Bytes bytes) {
    if (bytes.empty()) return "0 bytes";
    std::string text = quotable(textOf(bytes).substr(0, 16));
    std::ranges::replace_if(text, [](char c) { return (c & 0x80) != 0; }, '?');
    return fmt::format("one that begins with \"{}\"", text);
}

Result<Content> readEither(Bytes bytes, const std::string& source) {
    if (textOf(bytes).starts_with(zipBeginning)) return readZip(bytes, source);
    if (looksOld(bytes)) return readOld(bytes, source);
    return fail(
        fmt::format("{}: expected a file of torch.save (a zip archive, or the form before it), found {}",
                    source, beginningOf(bytes)));
}

}  // namespace

Result<std::shared_ptr<const TorchFile>> TorchFile::open(const std::filesystem::path& path) {
    auto file = MappedFile::open(path);
    if (!file) return std::unexpected(file.error());
    const Result<Content> content = readEither(file->bytes(), path.string());
    if (!content) return std::unexpected(content.error());
    auto tensors = tensorsOf(*content, path);
    if (!tensors) return std::unexpected(tensors.error());
    return std::make_shared<const TorchFile>(TorchFile{std::move(*file), std::move(*tensors)});
}

}  // namespace fovea::io
