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
    const auto vary = [&](const std::string& defect, const std::function<bool(nlohmann::json&)>& change) {
        nlohmann::json config = valid;
        if (change(config)) broken.push_back({defect, config.dump(2), ""});
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
        vary(fmt::format("{}_as_text", key), with(present.dump()));
        vary(fmt::format("{}_negative", key), with(-4));
        vary(fmt::format("{}_zero", key), with(0));
        vary(fmt::format("{}_fractional", key), with(2.5));
        vary(fmt::format("{}_beyond_64_bits", key), with(1e30));
        vary(fmt::format("{}_as_list", key), with(nlohmann::json::array({4})));
    }
    vary("heads_that_do_not_divide_the_width", [](nlohmann::json& config) {
        if (!config.contains("num_attention_heads") || !config.contains("hidden_size")) return false;
        config["num_attention_heads"] = config["hidden_size"].get<int>() - 1;
        return true;
    });
    vary("groups_that_do_not_divide_the_heads", [](nlohmann::json& config) {
        if (!config.contains("num_key_value_heads")) return false;
        config["num_key_value_heads"] = config.value("num_attention_heads", 4) + 1;
        return true;
    });
    vary("unknown_model_type", [](nlohmann::json& config) {
        config["model_type"] = "perpetuum-mobile";
        return true;
    });
    vary("model_type_as_number", [](nlohmann::json& config) {
        config["model_type"] = 7;
        return true;
    });
    broken.push_back({"config_is_a_list", "[]", ""});
    broken.push_back({"config_is_empty", "", ""});
    broken.push_back({"config_cut_short", valid.dump().substr(0, valid.dump().size() / 2), ""});
    broken.push_back({"config_nested_too_deep", R"({"model_type": )" + std::string(100'000, '['), ""});
    return broken;
}

}  // namespace fovea::test
