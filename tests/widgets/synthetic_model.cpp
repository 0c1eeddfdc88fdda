// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/synthetic_model.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QThread>
#include <cmath>
#include <sstream>
#include <thread>

namespace fovea::test {

namespace {

constexpr std::size_t layers = 2;
constexpr std::size_t heads = 4;
constexpr std::size_t groups = 2;
constexpr std::size_t hidden = 3;
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
        return std::to_string(ids.size()) + " words";
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

std::shared_ptr<const ScoreSource> placeScores(std::size_t layer, std::size_t length) {
    std::vector<float> scores(heads * length * length);
    for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t query = 0; query < length; ++query) {
            for (std::size_t key = 0; key < length; ++key) {
                const auto place = static_cast<double>(1 + layer + head * 3 + query * 7 + key * 5);
                scores[(head * length + query) * length + key] = static_cast<float>(3 * std::sin(place));
            }
        }
    }
    return scoresFromMatrix(heads, length, length, std::move(scores));
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
        for (std::size_t layer = 0; layer < layers; ++layer) {
            info_.sites.push_back(
                {"layer." + std::to_string(layer), SiteKind::Encoder, LayerIndex(layer), heads, groups});
        }
    }

    const ModelInfo& info() const override { return info_; }

    Result<GeneratedIds> generate(const ModelInput&, const MechanismPlan&, const GenerationSettings&,
                                  const TokenSink&, const RunControl&) const override {
        return fail("the synthetic model writes no text", ErrorKind::Unsupported);
    }

    Result<std::shared_ptr<const Trace>> run(const ModelInput& input, const MechanismPlan& plan,
                                             const RunControl& control) const override {
        ++behaviour_->runs;
        const auto end = std::chrono::steady_clock::now() + behaviour_->runTime;
        while (std::chrono::steady_clock::now() < end) {
            if (control.stop.stop_requested()) {
                ++behaviour_->stopped;
                return fail("cancelled", ErrorKind::Cancelled);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        auto trace = std::make_shared<Trace>();
        if (info_.vision) {
            trace->grid = PatchGrid{input.picture.height / patchSize, input.picture.width / patchSize, 1};
        }
        const std::size_t length = trace->grid ? trace->grid->count() + 1 : input.inputIds.size();
        for (const Site& site : info_.sites) {
            trace->records.push_back({site, placeScores(site.layer.value, length), plan.at(site)});
        }
        OutputArray state{"last_hidden_state", {length, hidden}, std::vector<float>(length * hidden)};
        const EntmaxParameters acting = plan.at(info_.sites.front());
        for (std::size_t index = 0; index < state.values.size(); ++index) {
            state.values[index] = static_cast<float>(std::cos(static_cast<double>(index) * acting.alpha));
        }
        trace->outputs.push_back(std::move(state));
        return trace;
    }

private:
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
    return [behaviour](const std::filesystem::path& folder,
                       const RunControl& control) -> Result<widgets::OpenedModel> {
        control.report("pretending", 0.5);
        if (behaviour->failsToOpen) return fail(folder.string() + ": no config.json");
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
