// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/synthetic_model.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>
#include <cmath>
#include <limits>
#include <sstream>
#include <thread>

namespace fovea::test {

namespace {

constexpr std::size_t layers = 2;
constexpr std::size_t heads = 4;
constexpr std::size_t groups = 2;
constexpr std::size_t hidden = 3;
constexpr std::size_t writingVocabulary = 50;
constexpr std::size_t patchSize = 8;
constexpr std::size_t maxPositions = 40;

class WordTokenizer final : public text::Tokenizer {
public:
    Result<text::Encoding> encode(std::string_view text, std::optional<std::string_view> pair,
                                  bool) const override {
        text::Encoding encoding;
        append(encoding, text, 0);
        if (pair) append(encoding, *pair, 1);
        return encoding;
    }
    Result<std::string> decode(std::span<const std::int64_t> ids) const override {
        std::string text;
        for (const std::int64_t id : ids) text += (text.empty() ? "" : " ") + *piece(id);
        return text;
    }
    std::optional<std::string> piece(std::int64_t id) const override { return "word" + std::to_string(id); }
    bool isSpecial(std::int64_t) const override { return false; }
    std::size_t vocabularySize() const override { return 1000; }

private:
    static void append(text::Encoding& encoding, std::string_view text, int sequence) {
        std::istringstream words{std::string(text)};
        std::string word;
        std::size_t first = 0;
        while (words >> word) {
            first = text.find(word, first);
            text::Token token;
            token.id = static_cast<std::int64_t>(encoding.tokens.size() % 1000);
            token.piece = word;
            token.first = first;
            token.pastLast = first + word.size();
            token.sequence = sequence;
            token.typeId = sequence;
            encoding.tokens.push_back(token);
            first = token.pastLast;
        }
    }
};

std::shared_ptr<const ScoreSource> placeScores(const Site& site, std::size_t queries, std::size_t keys,
                                               bool causal) {
    std::vector<float> scores(site.heads * queries * keys);
    for (std::size_t head = 0; head < site.heads; ++head) {
        for (std::size_t query = 0; query < queries; ++query) {
            for (std::size_t key = 0; key < keys; ++key) {
                const auto place =
                    static_cast<double>(1 + site.layer.value + head * 3 + query * 7 + key * 5);
                float& score = scores[(head * queries + query) * keys + key];
                score = static_cast<float>(3 * std::sin(place));
                if (causal && key > query) score = -std::numeric_limits<float>::infinity();
            }
        }
    }
    return scoresFromMatrix(site.heads, queries, keys, std::move(scores));
}

class SyntheticModel final : public LoadedModel {
public:
    SyntheticModel(std::shared_ptr<SyntheticBehaviour> behaviour, const std::filesystem::path& folder)
        : behaviour_(std::move(behaviour)) {
        info_.folder = folder;
        info_.name = "synthetic";
        info_.format = "none";
        info_.modelType = "synthetic";
        info_.architecture = "SyntheticModel";
        info_.layers = layers;
        info_.heads = heads;
        info_.keyValueHeads = groups;
        info_.hiddenSize = hidden;
        info_.vocabularySize = 1000;
        info_.maxPositions = maxPositions;
        info_.typeVocabularySize = 2;
        info_.parameters = 1234567;
        info_.outputs = {"last_hidden_state"};
        if (behaviour_->readsPictures) {
            info_.vocabularySize = info_.typeVocabularySize = info_.maxPositions = 0;
            info_.vision = VisionInfo{32, 32, patchSize, {"[CLS]"}};
        }
        if (behaviour_->writes || behaviour_->twoStacks) {
            info_.generates = true;
            info_.vocabularySize = writingVocabulary;
            info_.typeVocabularySize = 0;
            info_.outputs = {"logits"};
        }
        const bool two = behaviour_->twoStacks;
        addSites(two ? "encoder." : "layer.", SiteKind::Encoder, heads, groups);
        if (!two) return;
        info_.decoder = DecoderInfo{.layers = layers, .heads = 2, .keyValueHeads = 2,
                                    .vocabularySize = writingVocabulary, .startId = 0};
        addSites("decoder.", SiteKind::Decoder, 2, 2);
        addSites("cross.", SiteKind::Cross, 3, 3);
    }

    const ModelInfo& info() const override { return info_; }

    Result<GeneratedIds> generate(const ModelInput& input, const MechanismPlan& plan,
                                  const GenerationSettings& settings, const TokenSink& each,
                                  const RunControl& control) const override {
        if (!info_.generates) return fail("the synthetic model writes no text", ErrorKind::Unsupported);
        GeneratedIds result;
        result.ids = info_.decoder ? input.decoderInputIds : input.inputIds;
        if (info_.decoder && result.ids.empty()) result.ids.push_back(0);
        result.given = result.ids.size();
        const double alpha = plan.at(info_.sites.front()).alpha;
        for (std::size_t i = 0; i < settings.newTokens; ++i) {
            if (!pause(behaviour_->tokenTime, control)) return fail("cancelled", ErrorKind::Cancelled);
            const auto mix = static_cast<std::int64_t>(10 * alpha) + 7 * result.ids.back() +
                             3 * static_cast<std::int64_t>(i + settings.seed);
            result.ids.push_back(1 + mix % static_cast<std::int64_t>(writingVocabulary - 1));
            ++behaviour_->written;
            if (each) each(result.ids.back());
        }
        return result;
    }

    Result<std::shared_ptr<const Trace>> run(const ModelInput& input, const MechanismPlan& plan,
                                             const RunControl& control) const override {
        ++behaviour_->runs;
        if (!pause(behaviour_->runTime, control)) return fail("cancelled", ErrorKind::Cancelled);
        auto trace = std::make_shared<Trace>();
        if (info_.vision) {
            trace->grid = PatchGrid{input.picture.height / patchSize, input.picture.width / patchSize, 1};
        }
        const std::size_t length = trace->grid ? trace->grid->count() + 1 : input.inputIds.size();
        const std::size_t targets = info_.decoder ? input.decoderInputIds.size() : length;
        for (const Site& site : info_.sites) {
            const std::size_t queries = site.kind == SiteKind::Encoder ? length : targets;
            const std::size_t keys = site.kind == SiteKind::Decoder ? targets : length;
            const bool causal = info_.decoder ? site.kind == SiteKind::Decoder : info_.generates;
            trace->records.push_back({site, placeScores(site, queries, keys, causal), plan.at(site)});
        }
        const std::size_t width = info_.generates ? writingVocabulary : hidden;
        OutputArray state{info_.outputs.front(), {targets, width}, std::vector<float>(targets * width)};
        const EntmaxParameters acting = plan.at(info_.sites.front());
        for (std::size_t index = 0; index < state.values.size(); ++index) {
            state.values[index] = static_cast<float>(std::cos(static_cast<double>(index) * acting.alpha));
        }
        trace->outputs.push_back(std::move(state));
        return trace;
    }

private:
    void addSites(const std::string& stack, SiteKind kind, std::size_t siteHeads, std::size_t siteGroups) {
        for (std::size_t layer = 0; layer < layers; ++layer) {
            info_.sites.push_back(
                {stack + std::to_string(layer), kind, LayerIndex(layer), siteHeads, siteGroups});
        }
    }

    // False when it was stopped.
    bool pause(std::chrono::milliseconds time, const RunControl& control) const {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
            if (control.stop.stop_requested()) {
                ++behaviour_->stopped;
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

    std::shared_ptr<SyntheticBehaviour> behaviour_;
    ModelInfo info_;
};

}  // namespace

widgets::OpenedModel syntheticModel(std::shared_ptr<SyntheticBehaviour> behaviour,
                                    const std::filesystem::path& folder) {
    widgets::OpenedModel opened;
    if (behaviour->readsPictures) opened.preprocessing.size = {32, 32};
    else opened.tokenizer = std::make_shared<WordTokenizer>();
    opened.model = std::make_shared<SyntheticModel>(std::move(behaviour), folder);
    return opened;
}

widgets::ModelOpener syntheticOpener(std::shared_ptr<SyntheticBehaviour> behaviour) {
    return [behaviour](const std::filesystem::path& folder, const LoadOptions&,
                       const RunControl& control) -> Result<widgets::OpenedModel> {
        control.report("pretending", 0.5);
        const auto end = std::chrono::steady_clock::now() + behaviour->openTime;
        while (std::chrono::steady_clock::now() < end) {
            if (control.stop.stop_requested()) return fail("cancelled", ErrorKind::Cancelled);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (behaviour->failsToOpen) return fail(folder.string() + ": no config.json");
        ++behaviour->opened;
        return syntheticModel(behaviour, folder);
    };
}

std::shared_ptr<const widgets::ModelRun> syntheticRun(std::shared_ptr<SyntheticBehaviour> behaviour,
                                                      const std::string& text) {
    auto run =
        widgets::runOwn(syntheticModel(std::move(behaviour)), {{text, std::nullopt}, std::nullopt}, {});
    return run.value();
}

bool waitFor(const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < 10'000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        QThread::msleep(1);
    }
    return done();
}

}  // namespace fovea::test
