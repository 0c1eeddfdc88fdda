// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/generation_config.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/io/files.h"

namespace fovea::model {

using nlohmann::json;

namespace {

using Ids = std::vector<std::int64_t>;

// Both files, the one that counts first.
class GenerationReader {
public:
    GenerationReader(ConfigReader* own, ConfigReader& config, const TransformerSettings& settings)
        : own_(own),
          config_(config),
          twoStacks_(settings.decoder.has_value()),
          vocabulary_(settings.decoder ? settings.decoder->vocabularySize : settings.vocabularySize) {}

    void read(GenerationTokens& tokens) {
        if (twoStacks_) readStart(tokens.start);
        if (const auto ends = ids("eos_token_id")) tokens.ends = *ends;
        else if (!usual("eos_token_id")) tokens.ends.clear();
        // The usual end of a family may lie beyond a small vocabulary.
        std::erase_if(tokens.ends, [&](std::int64_t id) { return !known(id); });
        readForced("forced_bos_token_id", tokens.forcedFirst);
        readForced("forced_eos_token_id", tokens.forcedLast);
        const std::set<std::int64_t> ends(tokens.ends.begin(), tokens.ends.end());
        for (const std::int64_t id : badWords()) {
            // A text must be able to end.
            if (!ends.contains(id)) tokens.never.push_back(id);
        }
        if (const auto suppressed = ids("suppress_tokens"))
            tokens.never.insert(tokens.never.end(), suppressed->begin(), suppressed->end());
    }

private:
    // The file that says `key`; nullptr when neither does.
    ConfigReader* holder(const char* key) {
        if (own_ && own_->has(key)) return own_;
        return config_.has(key) ? &config_ : nullptr;
    }

    // What the family put there holds.
    bool usual(const char* key) const { return !own_ && !config_.names(key); }

    bool known(std::int64_t id) const {
        return id >= 0 && static_cast<std::uint64_t>(id) < vocabulary_;
    }

    std::optional<Ids> ids(const char* key) {
        ConfigReader* file = holder(key);
        if (!file) return std::nullopt;
        Ids ids = file->integers(key);
        std::erase_if(ids, [&](std::int64_t id) { return !known(id); });
        return ids;
    }

    std::int64_t idIn(ConfigReader& file, const char* key, std::int64_t id) {
        if (!known(id)) {
            file.failWith(key, fmt::format("an id of the vocabulary, 0 to {}", vocabulary_ - 1), id);
            return 0;
        }
        return id;
    }

    // What begins any text begins a decoder's own where nothing else is said.
    void readStart(std::int64_t& start) {
        const char* key = "decoder_start_token_id";
        if (!holder(key) && !usual(key)) key = "bos_token_id";
        ConfigReader* file = holder(key);
        if (!file) return;
        const Ids ids = file->integers(key);
        if (!ids.empty()) start = idIn(*file, key, ids.front());
    }

    void readForced(const char* key, std::optional<std::int64_t>& forced) {
        ConfigReader* file = holder(key);
        if (!file) {
            if (!usual(key)) forced.reset();
            return;
        }
        const Ids ids = file->integers(key);
        // Of several the smallest is the first of equals.
        if (!ids.empty()) forced = idIn(*file, key, *std::ranges::min_element(ids));
    }

    // Those of one token; longer ones would need the tokens before.
    Ids badWords() {
        const char* key = "bad_words_ids";
        ConfigReader* file = holder(key);
        const json* words = file ? file->list(key) : nullptr;
        Ids ids;
        if (!words) return ids;
        for (const json& word : *words) {
            if (!word.is_array() || !std::ranges::all_of(word, &json::is_number_integer)) {
                file->failWith(key, "a list of lists of whole numbers", word);
                return {};
            }
            if (word.size() == 1 && known(word[0].get<std::int64_t>()))
                ids.push_back(word[0].get<std::int64_t>());
        }
        return ids;
    }

    ConfigReader* own_;  // nullptr without generation_config.json
    ConfigReader& config_;
    bool twoStacks_;
    std::size_t vocabulary_;
};

}  // namespace

void readGeneration(ConfigReader& config, TransformerSettings& settings) {
    if (settings.head != HeadKind::CausalLanguageModel && !settings.decoder) {
        settings.generation = {};
        return;
    }
    const std::filesystem::path path = config.file().parent_path() / "generation_config.json";
    std::error_code problem;
    std::optional<ConfigReader> own;
    Result<json> root = json();
    if (std::filesystem::exists(path, problem)) {
        root = io::readJsonFile(path);
        if (!root) return config.failWith(root.error());
        if (!root->is_object()) {
            return config.failWith(Error{
                fmt::format("{}: expected a JSON object, found {}", path.string(), shortText(*root))});
        }
        own.emplace(path, *root);
    }
    GenerationReader reader(own ? &*own : nullptr, config, settings);
    reader.read(settings.generation);
    if (own && own->error()) config.failWith(*own->error());
}

}  // namespace fovea::model
