// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/array_file.h"

#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <cctype>
#include <ranges>
#include <unordered_set>

#include "core/io/mapped_file.h"
#include "core/io/memory_room.h"
#include "core/io/message_text.h"
#include "core/io/npy_bytes.h"
#include "core/io/safetensors.h"
#include "core/io/zip_directory.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

std::string lowerEnding(const fs::path& path) {
    std::string ending = path.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    return ending;
}

Result<void> addNpy(const OwnedBytes& bytes, std::string_view source, std::string name, ArrayFile& file) {
    auto content = npyFromBytes(bytes, source);
    if (!content) return std::unexpected(content.error());
    content->array.name = std::move(name);
    file.arrays.push_back(std::move(content->array));
    file.owners.push_back(std::move(content->owner));
    return {};
}

/// A zip archive open for reading.
class Archive {
public:
    explicit Archive(const fs::path& path) {
        int code = 0;
        archive_ = zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
        if (archive_) return;
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        reason_ = zip_error_strerror(&error);
        zip_error_fini(&error);
    }
    ~Archive() {
        if (archive_) zip_discard(archive_);
    }
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    explicit operator bool() const { return archive_ != nullptr; }
    const std::string& reason() const { return reason_; }
    zip_uint64_t count() const { return static_cast<zip_uint64_t>(zip_get_num_entries(archive_, 0)); }

    /// False when the directory's entry says too little.
    bool describe(zip_uint64_t index, zip_stat_t& status) const {
        constexpr zip_uint64_t wanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
        return zip_stat_index(archive_, index, 0, &status) == 0 && (status.valid & wanted) == wanted;
    }

    /// Bytes of one member, read piece by piece: what is not there is never allocated.
    Result<std::string> read(zip_uint64_t index, std::uint64_t size) const {
        constexpr std::size_t piece = std::size_t{1} << 24;
        zip_file_t* member = zip_fopen_index(archive_, index, 0);
        if (!member) return fail(zip_strerror(archive_));
        std::string bytes;
        zip_int64_t count = 1;
        while (count > 0 && bytes.size() <= size) {
            const std::size_t before = bytes.size();
            // One byte more than there should be, so that a longer member is noticed.
            const auto asked = static_cast<std::size_t>(std::min<std::uint64_t>(piece, size + 1 - before));
            bytes.resize(before + asked);
            count = zip_fread(member, bytes.data() + before, asked);
            bytes.resize(before + static_cast<std::size_t>(std::max<zip_int64_t>(count, 0)));
        }
        const std::string reason =
            count < 0 ? zip_file_strerror(member) : "its length is not the one of the directory";
        zip_fclose(member);
        if (count != 0 || bytes.size() != size) return fail(reason);
        return bytes;
    }

private:
    zip_t* archive_ = nullptr;
    std::string reason_;
};

using Names = std::unordered_set<std::string>;

Result<void> addMember(const Archive& archive, zip_uint64_t index, const std::optional<std::string>& only,
                       Names& names, ArrayFile& file) {
    const std::string path = file.path.string();
    zip_stat_t status;
    zip_stat_init(&status);
    if (!archive.describe(index, status)) {
        return fail(fmt::format("{}: entry {} of the zip directory cannot be read", path, index));
    }
    const std::string member = status.name;
    if (!member.ends_with(".npy")) return {};
    const std::string source = fmt::format("{}: {}", path, quotable(member));
    const std::string name = member.substr(0, member.size() - 4);
    if (!names.insert(name).second) return fail(fmt::format("{}: comes twice", source));
    if (only && name != *only) {
        FileArray& listed = file.arrays.emplace_back();
        listed.name = name;
        listed.skipped = true;
        return {};
    }
    if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE)
        return fail(fmt::format("{}: encrypted, expected plain content", source));
    // Deflate packs at most 1032 bytes into one.
    if (status.size / 1032 > status.comp_size + 64) {
        return fail(fmt::format("{}: claims {} bytes packed into {}", source, status.size, status.comp_size));
    }
    if (auto fits = checkFitsMemory(source, status.size); !fits) return fits;
    auto bytes = archive.read(index, status.size);
    if (!bytes) return fail(fmt::format("{}: cannot be read: {}", source, bytes.error().message));
    const auto owner = std::make_shared<std::string>(std::move(*bytes));
    return addNpy({std::as_bytes(std::span(*owner)), owner}, source, name, file);
}

Result<void> checkBeginning(std::span<const std::byte> bytes, std::string_view source) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("PK")) return {};
    return fail(fmt::format("{}: expected an npz file (a zip archive of arrays), found {}", source,
                            text.empty() ? "0 bytes"
                                         : fmt::format("one that begins with \"{}\"",
                                                       quotable(text.substr(0, 16)))));
}

Result<void> readNpz(const std::optional<std::string>& only, ArrayFile& file) {
    const std::string source = file.path.string();
    {
        // Says more than the library of what is broken.
        const auto mapped = MappedFile::open(file.path);
        if (!mapped) return std::unexpected(mapped.error());
        if (auto begins = checkBeginning(mapped->bytes(), source); !begins) return begins;
        if (auto directory = readZipDirectory(mapped->bytes(), source); !directory)
            return std::unexpected(directory.error());
    }
    const Archive archive(file.path);
    if (!archive)
        return fail(fmt::format("{}: not a usable npz file: {} (save it again)", source, archive.reason()));
    Names names;
    for (zip_uint64_t index = 0; index < archive.count(); ++index) {
        if (auto added = addMember(archive, index, only, names, file); !added) return added;
    }
    return {};
}

Result<void> readNpyFile(ArrayFile& file) {
    auto mapped = MappedFile::open(file.path);
    if (!mapped) return std::unexpected(mapped.error());
    const auto owner = std::make_shared<const MappedFile>(std::move(*mapped));
    return addNpy({owner->bytes(), owner}, file.path.string(), "", file);
}

Result<void> readSafetensors(ArrayFile& file) {
    const auto opened = SafetensorsFile::open(file.path);
    if (!opened) return std::unexpected(opened.error());
    for (const std::string& name : (*opened)->names()) {
        const ArrayView& view = *(*opened)->find(name);
        file.arrays.push_back({name, view, false, {}, view.shape});
    }
    file.metadata = (*opened)->metadata();
    file.owners.push_back(*opened);
    return {};
}

/// What NumPy calls arrays of a type, for refusals.
std::string_view arraysOf(const FileArray& array) {
    if (array.isText) return "arrays of text";
    switch (array.numbers.type) {
        case ElementType::Bool: return "boolean arrays";
        case ElementType::U8: return "uint8 arrays";
        case ElementType::I8: return "int8 arrays";
        case ElementType::I16: return "int16 arrays";
        case ElementType::U16: return "uint16 arrays";
        case ElementType::I32: return "int32 arrays";
        case ElementType::U32: return "uint32 arrays";
        case ElementType::I64: return "int64 arrays";
        case ElementType::U64: return "uint64 arrays";
        case ElementType::F16: return "float16 arrays";
        case ElementType::BF16: return "bfloat16 arrays";
        case ElementType::F32: return "float32 arrays";
        case ElementType::F64: return "float64 arrays";
    }
    return "arrays of an unknown type";
}

/// The names of a file's arrays, as a message may list them.
std::string namesOf(const ArrayFile& file) {
    constexpr std::size_t most = 40;
    std::vector<std::string> names;
    for (const FileArray& array : file.arrays | std::views::take(most)) names.push_back(quotable(array.name));
    if (file.arrays.size() > most) names.push_back(fmt::format("{} more", file.arrays.size() - most));
    return fmt::format("{}", fmt::join(names, ", "));
}

Result<const FileArray*> chosenArray(const ArrayFile& file, const std::optional<std::string>& name) {
    const std::string path = file.path.string();
    if (file.arrays.empty()) return fail(fmt::format("{}: there is no array in it", path));
    const FileArray& first = file.arrays.front();
    if (!name && file.arrays.size() == 1) return &first;
    if (!name) {
        return fail(fmt::format("{}: there are {} arrays, one must be chosen by name: {}", path,
                                file.arrays.size(), namesOf(file)),
                    ErrorKind::Usage);
    }
    if (first.name.empty() && file.arrays.size() == 1) {
        return fail(fmt::format("{}: its one array has no name, found {}", path, quotable(*name)),
                    ErrorKind::Usage);
    }
    if (const FileArray* found = file.find(*name)) return found;
    return fail(fmt::format("{}: there is no array {}, there are {}", path, quotable(*name), namesOf(file)),
                ErrorKind::Usage);
}

}  // namespace

Result<const FileArray*> floatingArray(const ArrayFile& file, const std::optional<std::string>& name) {
    const auto chosen = chosenArray(file, name);
    if (!chosen) return chosen;
    const FileArray& array = **chosen;
    if (!array.isText && isFloating(array.numbers.type)) return &array;
    return fail(fmt::format("{}: {}{} are not read; expected float16, bfloat16, float32 or float64",
                            file.path.string(), array.name.empty() ? "" : quotable(array.name) + ": ",
                            arraysOf(array)),
                ErrorKind::Unsupported);
}

const FileArray* ArrayFile::find(std::string_view name) const {
    const auto found = std::ranges::find(arrays, name, &FileArray::name);
    return found == arrays.end() ? nullptr : &*found;
}

Result<ArrayFile> readArrayFile(const fs::path& path, const std::optional<std::string>& only) {
    ArrayFile file;
    file.path = path;
    const std::string ending = lowerEnding(path);
    Result<void> read;
    if (ending == ".npy") read = readNpyFile(file);
    else if (ending == ".npz") read = readNpz(only, file);
    else if (ending == ".safetensors") read = readSafetensors(file);
    else
        read =
            fail(fmt::format("{}: expected a name that ends in .npy, .npz or .safetensors", path.string()));
    if (!read) return std::unexpected(read.error());
    return file;
}

bool isArrayFileName(const fs::path& path) {
    const std::string ending = lowerEnding(path);
    return ending == ".npy" || ending == ".npz" || ending == ".safetensors";
}

}  // namespace fovea::io
