// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/idx_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <zlib.h>

namespace fovea::training {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest = std::size_t{1} << 30;
constexpr std::uint8_t unsignedBytes = 8;

struct Closing {
    void operator()(gzFile_s* file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, Closing>;

std::unexpected<Error> broken(const fs::path& path, std::string_view reason) {
    return fail(fmt::format("{}: {}", path.string(), reason));
}

/// Up to `count` bytes; fewer only at the end of the file.
Result<std::vector<std::uint8_t>> readUpTo(gzFile_s* file, const fs::path& path, std::size_t count) {
    constexpr std::size_t step = std::size_t{1} << 20;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < count) {
        const std::size_t begin = bytes.size();
        const std::size_t wanted = std::min(step, count - begin);
        bytes.resize(begin + wanted);
        const int got = gzread(file, bytes.data() + begin, static_cast<unsigned>(wanted));
        int code = Z_OK;
        const char* reason = gzerror(file, &code);
        if (got < 0 || code == Z_BUF_ERROR) {
            return broken(path, fmt::format("expected whole gzip data, found damage ({})",
                                            code == Z_ERRNO ? std::strerror(errno) : reason));
        }
        bytes.resize(begin + static_cast<std::size_t>(got));
        if (static_cast<std::size_t>(got) < wanted) break;
    }
    return bytes;
}

std::size_t extentAt(std::span<const std::uint8_t> bytes) {
    return std::size_t{bytes[0]} << 24 | std::size_t{bytes[1]} << 16 | std::size_t{bytes[2]} << 8 | bytes[3];
}

Result<std::vector<std::size_t>> readShape(gzFile_s* file, const fs::path& path, std::size_t axes) {
    const auto header = readUpTo(file, path, 4 + 4 * axes);
    if (!header) return std::unexpected(header.error());
    if (header->size() < 4 || (*header)[0] != 0 || (*header)[1] != 0) {
        return broken(path, "expected an idx file, found other first bytes");
    }
    if ((*header)[2] != unsignedBytes) {
        return broken(path, fmt::format("expected unsigned bytes (type 8), found type {}", (*header)[2]));
    }
    if ((*header)[3] != axes) {
        return broken(path, fmt::format("expected {} axes, found {}", axes, (*header)[3]));
    }
    if (header->size() < 4 + 4 * axes) return broken(path, "expected the extents of its axes, found the end");
    std::vector<std::size_t> shape;
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        shape.push_back(extentAt(std::span(*header).subspan(4 + 4 * axis, 4)));
        if (shape.back() != 0 && count > largest / shape.back()) {
            return broken(path, fmt::format("expected at most {} bytes, found a shape of more", largest));
        }
        count *= shape.back();
    }
    return shape;
}

}  // namespace

Result<IdxArray> readIdxFile(const fs::path& path, std::size_t axes) {
    std::error_code problem;
    if (!fs::is_regular_file(path, problem)) return broken(path, "expected a file, found none");
    const GzipFile file(gzopen(path.c_str(), "rb"));
    if (!file) return broken(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    auto shape = readShape(file.get(), path, axes);
    if (!shape) return std::unexpected(shape.error());
    std::size_t count = 1;
    for (const std::size_t extent : *shape) count *= extent;
    auto values = readUpTo(file.get(), path, count + 1);
    if (!values) return std::unexpected(values.error());
    if (values->size() != count) {
        return broken(path, fmt::format("its shape says {} bytes, found {}", count,
                                        values->size() > count ? "more" : std::to_string(values->size())));
    }
    return IdxArray{*std::move(shape), *std::move(values)};
}

}  // namespace fovea::training
