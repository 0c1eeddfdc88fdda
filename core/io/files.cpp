// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/file_descriptor.h"
#include "core/io/memory_room.h"
#include "core/io/message_text.h"
#include "core/io/temporary_files.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannotWrite(const fs::path& path, std::string_view reason) {
    return fail(fmt::format("cannot write {}: {}", path.string(), reason), ErrorKind::Output);
}

std::string systemReason(int error) { return std::generic_category().message(error); }

Result<void> writeAll(const FileDescriptor& file, std::string_view content, const fs::path& target) {
    while (!content.empty()) {
        const ssize_t written = ::write(file.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return cannotWrite(target, systemReason(errno));
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> overwrite(const fs::path& place, std::span<const std::string_view> parts,
                       const fs::path& target) {
    FileDescriptor file(open(place.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!file) return cannotWrite(target, systemReason(errno));
    for (const std::string_view part : parts) {
        if (auto written = writeAll(file, part, target); !written) return written;
    }
    // Quotas and network file systems report a full disk only here.
    if (!file.close()) return cannotWrite(target, systemReason(errno));
    return {};
}

/// The file that a rename has to replace: not a link to it.
Result<fs::path> throughLinks(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(path, error)) return path;
    fs::path target = fs::weakly_canonical(path, error);
    if (error) return cannotWrite(path, error.message());
    return target;
}

/// A device or a pipe cannot be replaced by a rename: it gets the finished content.
Result<void> writeThrough(const fs::path& path, const std::function<Result<void>(const fs::path&)>& write) {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error) return cannotWrite(path, error.message());
    auto temporary = TemporaryFile::create(folder, path.extension().string());
    if (!temporary) return cannotWrite(path, temporary.error().message);
    if (auto written = write(temporary->path()); !written) return written;
    auto content = readTextFile(temporary->path());
    if (!content) return std::unexpected(content.error());
    const std::string_view whole = *content;
    return overwrite(path, std::span(&whole, 1), path);
}

/// Where brackets nest deeper than `limit`, if anywhere.
std::optional<std::size_t> placeDeeperThan(std::size_t limit, std::string_view text) {
    std::size_t depth = 0;
    bool inString = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (inString) {
            if (c == '\\') ++at;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > limit) return at;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return std::nullopt;
}

std::string placeText(std::string_view text, std::size_t at) {
    std::size_t line = 1, column = 1;
    for (const char c : text.substr(0, std::min(at, text.size()))) {
        line += c == '\n';
        column = c == '\n' ? 1 : column + 1;
    }
    return fmt::format("line {}, byte {} of the line", line, column);
}

}  // namespace

Result<std::string> readTextFile(const fs::path& path, std::size_t limit) {
    auto file = openForReading(path, PipesAllowed::Yes);
    if (!file) return std::unexpected(file.error());
    const auto tooLong = [&] {
        return fail(fmt::format("{}: longer than {} bytes, the most that is read", path.string(), limit));
    };
    if (file->size > limit) return tooLong();
    if (auto fits = checkFitsMemory(path.string(), file->size); !fits) return std::unexpected(fits.error());
    // One byte more than the size shows that the file ends there; a pipe has no size and grows.
    std::string text(file->size + 1, '\0');
    std::size_t length = 0;
    while (true) {
        if (length == text.size()) text.resize(std::min(limit + 1, std::max<std::size_t>(length * 2, 4096)));
        const ssize_t count = ::read(file->descriptor.get(), text.data() + length, text.size() - length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(fmt::format("cannot read {}: {}", path.string(), systemReason(errno)));
        if (count == 0) break;
        length += static_cast<std::size_t>(count);
        if (length > limit) return tooLong();
    }
    text.resize(length);
    return text;
}

Result<void> checkJsonFitsMemory(std::string_view text, std::string_view source) {
    constexpr std::size_t bytesOfValue = 128;
    // A value takes at least itself and what stands between it and the next.
    if (checkFitsMemory(source, text.size() / 2 * bytesOfValue)) return {};
    const auto values = static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return c == ',' || c == '[' || c == '{'; }));
    return checkFitsMemory(fmt::format("{}: JSON of {} values", source, values), values * bytesOfValue);
}

Result<nlohmann::json> parseJson(std::string_view text, std::string_view source) {
    constexpr std::size_t deepest = 128;
    if (text.empty()) return fail(fmt::format("{}: expected JSON, found nothing: 0 bytes", source));
    if (const auto at = placeDeeperThan(deepest, text)) {
        return fail(fmt::format("{}: not usable JSON at {}: nested deeper than {} levels", source,
                                placeText(text, *at), deepest));
    }
    if (auto fits = checkJsonFitsMemory(text, source); !fits) return std::unexpected(fits.error());
    // To the parser a zero byte is the end, whatever follows it.
    if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
        return fail(fmt::format("{}: not valid JSON at {}: a zero byte", source, placeText(text, at)));
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;
        return fail(fmt::format("{}: not valid JSON at {}: {}", source, placeText(text, at),
                                parserReason(error.what())));
    } catch (const nlohmann::json::exception& error) {
        return fail(fmt::format("{}: not usable JSON: {}", source, parserReason(error.what())));
    } catch (const std::bad_alloc&) {
        return fail(fmt::format("{}: there is not enough memory for its JSON of {} bytes", source,
                                text.size()));
    }
}

Result<nlohmann::json> readJsonFile(const fs::path& path, std::size_t limit) {
    auto text = readTextFile(path, limit);
    if (!text) return std::unexpected(text.error());
    return parseJson(*text, path.string());
}

Result<void> writeAtomically(const fs::path& path,
                             const std::function<Result<void>(const fs::path&)>& write) {
    struct stat status = {};
    const bool exists = stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return cannotWrite(path, systemReason(EISDIR));
    if (exists && access(path.c_str(), W_OK) != 0) return cannotWrite(path, systemReason(errno));
    if (exists && !S_ISREG(status.st_mode)) return writeThrough(path, write);

    auto resolved = throughLinks(path);
    if (!resolved) return std::unexpected(resolved.error());
    const fs::path& target = *resolved;
    if (!target.has_filename()) return cannotWrite(path, systemReason(path.empty() ? ENOENT : EISDIR));

    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    auto temporary = TemporaryFile::create(folder, target.extension().string());
    if (!temporary) return cannotWrite(path, temporary.error().message);
    if (exists) chmod(temporary->path().c_str(), status.st_mode & 07777);
    if (auto written = write(temporary->path()); !written) return written;
    if (auto renamed = temporary->renameTo(target); !renamed) {
        return cannotWrite(path, renamed.error().message);
    }
    return {};
}

Result<void> writeFileAtomically(const fs::path& path, std::string_view content) {
    return writeFileAtomically(path, std::span(&content, 1));
}

Result<void> writeFileAtomically(const fs::path& path, std::span<const std::string_view> parts) {
    return writeAtomically(path, [&](const fs::path& place) { return overwrite(place, parts, path); });
}

}  // namespace fovea::io
