// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/laws.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "core/text/utf8.h"

namespace fovea::fuzz {

namespace fs = std::filesystem;

namespace {

// Removed when the process ends by itself.
class Scratch {
public:
    Scratch() {
        const fs::path memory = "/dev/shm";
        std::error_code ignored;
        const fs::path base = fs::is_directory(memory, ignored) ? memory : fs::temp_directory_path();
        path_ = base / fmt::format("fovea-fuzz-{}", getpid());
        fs::create_directories(path_);
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

void law(bool holds, const char* what) {
    if (!holds) throw BrokenLaw(what);
}

void checkMessage(const Error& error, std::string_view source) {
    const std::string& message = error.message;
    const auto complain = [&](const char* what) {
        throw BrokenLaw(fmt::format("{}: \"{}\"", what, message.substr(0, 2000)));
    };
    constexpr std::size_t longest = 2000;
    if (message.empty() || message.size() > longest) complain("a message is neither empty nor long");
    if (text::firstInvalidByte(message)) complain("a message is UTF-8");
    const auto control = [](char c) { return c != '\n' && ((c >= 0 && c < ' ') || c == 0x7f); };
    if (std::ranges::any_of(message, control)) complain("a message has no control characters");
    if (message.back() == '\n' || std::ranges::count(message, '\n') > 1)
        complain("a message has one line or two");
    if (!message.contains(source)) complain("a message names what was read");
}

void touch(Bytes bytes) {
    volatile unsigned sum = 0;
    for (const std::byte byte : bytes) sum = sum + std::to_integer<unsigned>(byte);
}

void checkArray(const io::ArrayView& array) {
    const auto size = io::checkedByteCount(array.shape, io::elementSize(array.type));
    law(size && *size == array.bytes.size(), "an array's bytes are those of its shape");
    touch(array.bytes);
}

bool liesIn(std::string_view part, Bytes whole) {
    const std::string_view all = textOf(whole);
    return part.empty() ||
           (part.data() >= all.data() && part.data() + part.size() <= all.data() + all.size());
}

std::string_view textOf(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes bytesOf(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::vector<std::string> partsOf(Bytes input, std::size_t count) {
    std::string_view rest = textOf(input);
    std::vector<std::string> parts(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t end = i + 1 < count ? rest.find('\0') : std::string_view::npos;
        parts[i] = rest.substr(0, end);
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    return parts;
}

std::string joinedParts(const std::vector<std::string>& parts) {
    std::string joined;
    for (const std::string& part : parts) {
        if (&part != &parts.front()) joined += '\0';
        joined += part;
    }
    return joined;
}

fs::path scratchFolder() {
    static const Scratch scratch;
    return scratch.path();
}

fs::path scratchFile(const fs::path& name, std::string_view content) {
    const fs::path path = scratchFolder() / name;
    if (name.has_parent_path()) fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
    return path;
}

}  // namespace fovea::fuzz
