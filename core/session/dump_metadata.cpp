// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/dump_metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/io/files.h"
#include "core/io/message_text.h"
#include "core/io/safetensors.h"

namespace fovea::session {

namespace {

using Json = nlohmann::json;

// Rows of bytes, each filled up with zeros.
Json textsOfRows(const io::FileArray& array) {
    Json list = Json::array();
    const auto* bytes = reinterpret_cast<const char*>(array.numbers.bytes.data());
    for (std::size_t row = 0; row < array.shape[0]; ++row) {
        const std::string_view text(bytes + row * array.shape[1], array.shape[1]);
        list.push_back(io::wellFormed(text.substr(0, text.find_last_not_of('\0') + 1)));
    }
    return list;
}

Result<Json> listOf(const io::ArrayFile& file, const io::FileArray& array) {
    // Rows of no width are counted as well.
    const std::size_t count =
        std::max(io::elementCount(array.shape), array.shape.empty() ? 0 : array.shape.front());
    constexpr std::size_t most = std::size_t{1} << 24;
    if (count > most) {
        return fail(fmt::format("{}: {}: {} elements, expected at most {}", file.path.string(),
                                io::quotable(array.name), count, most));
    }
    if (array.isText)
        return array.shape.empty() && count == 1 ? Json(array.texts.front()) : Json(array.texts);
    if (array.numbers.type == io::ElementType::U8 && array.shape.size() == 2) return textsOfRows(array);
    const auto numbers = io::convertedArray<double>(array.numbers, array.name);
    if (!numbers) return fail(fmt::format("{}: {}", file.path.string(), numbers.error().message));
    return Json(numbers->values);
}

std::unexpected<Error> refuse(const io::ArrayFile& file, const char* key, std::string_view expected,
                              const Json& found) {
    const std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    return fail(
        fmt::format("{}: {}: expected {}, found {}", file.path.string(), key, expected, io::quotable(text)));
}

}  // namespace

Result<Json> besideAttention(const io::ArrayFile& file, const char* key) {
    if (const io::FileArray* array = file.find(key)) return listOf(file, *array);
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end()) return Json();
    if (auto json = io::parseJson(found->second, key)) return *json;
    return Json(found->second);
}

Result<std::vector<std::string>> textsBeside(const io::ArrayFile& file, const char* key) {
    const auto json = besideAttention(file, key);
    if (!json) return std::unexpected(json.error());
    std::vector<std::string> texts;
    if (json->is_null()) return texts;
    if (!json->is_array()) return refuse(file, key, "a list of texts", *json);
    for (const Json& entry : *json) {
        if (entry.is_string()) texts.push_back(entry.get<std::string>());
        else if (entry.is_number()) texts.push_back(fmt::format("{}", entry.get<double>()));
        else return refuse(file, key, "a list of texts", entry);
    }
    return texts;
}

Result<std::vector<double>> numbersBeside(const io::ArrayFile& file, const char* key, std::size_t count) {
    const auto json = besideAttention(file, key);
    if (!json) return std::unexpected(json.error());
    std::vector<double> numbers;
    if (json->is_null()) return numbers;
    const std::string expected =
        count == 0 ? "a list of numbers" : fmt::format("a list of {} numbers", count);
    if (!json->is_array() || (count != 0 && json->size() != count)) return refuse(file, key, expected, *json);
    for (const Json& entry : *json) {
        if (!entry.is_number()) return refuse(file, key, expected, *json);
        numbers.push_back(entry.get<double>());
    }
    return numbers;
}

}  // namespace fovea::session
