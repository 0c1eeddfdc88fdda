// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/broken_files.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fovea::test {

std::ostream& operator<<(std::ostream& out, const BrokenFile& file) { return out << file.defect; }

bool says(std::string_view message, std::string_view sentence) {
    constexpr std::string_view gap = "...";
    while (true) {
        const std::size_t end = sentence.find(gap);
        const std::string_view part = sentence.substr(0, end);
        const std::size_t place = message.find(part);
        if (place == std::string_view::npos) return false;
        if (end == std::string_view::npos) return true;
        message.remove_prefix(place + part.size());
        sentence.remove_prefix(end + gap.size());
    }
}

void writeBytes(const std::filesystem::path& path, std::string_view content) {
    std::ofstream file(path, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

void copyModelFolder(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

std::vector<BrokenFile> brokenJson() {
    using namespace std::string_literals;
    return {
        {"nothing", "", "0 bytes"},
        {"cut_short", R"({"layers": [1, 2)", "line 1"},
        {"comma_at_the_end", "{\n  \"a\": 1,\n}", "line 3"},
        {"two_values", "{} {}", "byte 4"},
        {"word_without_quotes", "{layers: 3}", "byte 2"},
        {"invalid_utf8", "{\"a\": \"\xff\"}", "UTF-8"},
        {"zero_byte", "{}\0garbage"s, "zero byte"},
        {"number_too_large", R"({"a": 1e999})", "number overflow"},
        {"nested_129_deep", std::string(129, '[') + std::string(129, ']'), "nested deeper than 128"},
        {"nested_a_million_deep", std::string(1'000'000, '['), "nested deeper than 128"},
        {"megabyte_of_nonsense", std::string(1'000'000, 'x'), "not valid JSON"},
    };
}

std::vector<BrokenFile> brokenConfigs(const nlohmann::json& valid) {
    std::vector<BrokenFile> broken;
    const auto vary = [&](const std::string& defect, const std::function<bool(nlohmann::json&)>& change,
                          const std::string& sentence) {
        nlohmann::json config = valid;
        if (change(config)) broken.push_back({defect, config.dump(2), sentence});
    };
    for (const char* key : {"num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size",
                            "vocab_size", "max_position_embeddings", "num_key_value_heads"}) {
        const auto with = [&](const nlohmann::json& value) {
            return [key, value](nlohmann::json& config) {
                if (!config.contains(key)) return false;
                config[key] = value;
                return true;
            };
        };
        const auto present = valid.contains(key) ? valid[key] : nlohmann::json();
        const auto badly = [&](const char* how, const nlohmann::json& value, const std::string& found) {
            vary(fmt::format("{}_{}", key, how), with(value),
                 fmt::format("{}: expected a whole number from 1 to ... found {}", key, found));
        };
        badly("as_text", present.dump(), fmt::format("\"{}\"", present.dump()));
        badly("negative", -4, "-4");
        badly("zero", 0, "0");
        badly("fractional", 2.5, "2.5");
        badly("beyond_64_bits", 1e30, "1e+30");
        badly("as_list", nlohmann::json::array({4}), "a list of 1 entries");
    }
    vary("heads_that_do_not_divide_the_width", [](nlohmann::json& config) {
        if (!config.contains("num_attention_heads") || !config.contains("hidden_size")) return false;
        config["num_attention_heads"] = config["hidden_size"].get<int>() - 1;
        return true;
    }, "num_attention_heads");
    vary("groups_that_do_not_divide_the_heads", [](nlohmann::json& config) {
        if (!config.contains("num_key_value_heads")) return false;
        config["num_key_value_heads"] = config.value("num_attention_heads", 4) + 1;
        return true;
    }, "num_key_value_heads: expected ... that divides num_attention_heads");
    vary("unknown_model_type", [](nlohmann::json& config) {
        config["model_type"] = "perpetuum-mobile";
        return true;
    }, "model_type: expected one of ... found \"perpetuum-mobile\"");
    vary("model_type_as_number", [](nlohmann::json& config) {
        config["model_type"] = 7;
        return true;
    }, "model_type: expected one of ... found 7");
    broken.push_back({"config_is_a_list", "[]", "expected a JSON object, found a list"});
    broken.push_back({"config_is_empty", "", "expected JSON, found nothing: 0 bytes"});
    broken.push_back(
        {"config_cut_short", valid.dump().substr(0, valid.dump().size() / 2), "not valid JSON at"});
    broken.push_back({"config_nested_too_deep", R"({"model_type": )" + std::string(100'000, '['),
                      "nested deeper than 128"});
    return broken;
}

}  // namespace fovea::test
