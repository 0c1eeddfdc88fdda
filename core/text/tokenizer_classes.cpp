// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_classes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/io/message_text.h"

namespace fovea::text {
namespace {

struct NamedKind {
    std::string_view name;
    TokenizerKind kind;
};

constexpr auto kClasses = std::to_array<NamedKind>({
    {"GPT2Tokenizer", TokenizerKind::Gpt2},
    {"RobertaTokenizer", TokenizerKind::Roberta},
    {"BartTokenizer", TokenizerKind::Roberta},
    {"LongformerTokenizer", TokenizerKind::Roberta},
    {"LEDTokenizer", TokenizerKind::Roberta},
    {"MvpTokenizer", TokenizerKind::Roberta},
    {"CLIPTokenizer", TokenizerKind::Clip},
    {"Qwen2Tokenizer", TokenizerKind::Qwen2},
    {"GPTNeoXTokenizer", TokenizerKind::GptNeoX},
    {"BertTokenizer", TokenizerKind::Bert},
    {"DistilBertTokenizer", TokenizerKind::Bert},
    {"ElectraTokenizer", TokenizerKind::Bert},
    {"MobileBertTokenizer", TokenizerKind::Bert},
    {"ConvBertTokenizer", TokenizerKind::Bert},
    {"SqueezeBertTokenizer", TokenizerKind::Bert},
    {"LayoutLMTokenizer", TokenizerKind::Bert},
    {"LxmertTokenizer", TokenizerKind::Bert},
    {"MPNetTokenizer", TokenizerKind::MPNet},
    {"T5Tokenizer", TokenizerKind::T5},
    {"AlbertTokenizer", TokenizerKind::Albert},
    {"XLMRobertaTokenizer", TokenizerKind::XlmRoberta},
    {"CamembertTokenizer", TokenizerKind::Camembert},
    {"MBartTokenizer", TokenizerKind::MBart},
    {"MBart50Tokenizer", TokenizerKind::MBart50},
    {"PegasusTokenizer", TokenizerKind::Pegasus},
    {"LlamaTokenizer", TokenizerKind::Llama},
    {"MarianTokenizer", TokenizerKind::Marian},
});

struct ModelClass {
    std::string_view model, name;
};

/// What the reference library reads for a kind of model; kinds without a class of their own are not here.
constexpr auto kModels = std::to_array<ModelClass>({
    {"albert", "AlbertTokenizer"},
    {"bart", "RobertaTokenizer"},
    {"bert", "BertTokenizer"},
    {"camembert", "CamembertTokenizer"},
    {"clip", "CLIPTokenizer"},
    {"distilbert", "BertTokenizer"},
    {"electra", "BertTokenizer"},
    {"gpt2", "GPT2Tokenizer"},
    {"gpt_neo", "GPT2Tokenizer"},
    {"gpt_neox", "GPTNeoXTokenizer"},
    {"gptj", "GPT2Tokenizer"},
    {"longformer", "RobertaTokenizer"},
    {"marian", "MarianTokenizer"},
    {"mbart", "MBartTokenizer"},
    {"mpnet", "MPNetTokenizer"},
    {"mt5", "T5Tokenizer"},
    {"opt", "GPT2Tokenizer"},
    {"pegasus", "PegasusTokenizer"},
    {"qwen2", "Qwen2Tokenizer"},
    {"qwen3", "Qwen2Tokenizer"},
    {"roberta", "RobertaTokenizer"},
    {"t5", "T5Tokenizer"},
    {"vilt", "BertTokenizer"},
    {"xlm-roberta", "XLMRobertaTokenizer"},
});

/// Names that stand for any tokenizer.
bool isGeneric(std::string_view name) {
    return name == "PreTrainedTokenizer" || name == "PreTrainedTokenizerFast" ||
           name == "TokenizersBackend" || name == "PythonBackend";
}

/// Kinds of models that are read as the generic tokenizer, whatever class their files name.
bool ignoresClass(std::string_view model) {
    return model == "mistral" || model == "mixtral" || model == "ministral" || model == "xlm-roberta-xl";
}

std::string_view classOfModel(std::string_view model) {
    const auto found = std::ranges::find(kModels, model, &ModelClass::model);
    return found == kModels.end() ? std::string_view() : found->name;
}

std::string supportedNames() {
    std::string names;
    for (const NamedKind& known : kClasses) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return names;
}

}  // namespace

Result<TokenizerClass> tokenizerClass(const TokenizerSettings& settings) {
    const std::string& model = settings.modelType();
    if (ignoresClass(model)) return TokenizerClass{};
    TokenizerClass chosen{.name = settings.className(), .told = !settings.className().empty()};
    // Files of these models name classes that their tokenizers are not.
    if (!chosen.told || model == "qwen2") chosen.name = classOfModel(model);
    if (chosen.name.empty() || isGeneric(chosen.name)) return TokenizerClass{};
    const auto known = std::ranges::find(kClasses, chosen.name, &NamedKind::name);
    if (known == kClasses.end()) {
        return settings.error(
            fmt::format("the tokenizer class \"{}\" is not supported without a tokenizer.json; supported: {}",
                        io::quotable(chosen.name), supportedNames()),
            ErrorKind::Unsupported);
    }
    chosen.kind = known->kind;
    return chosen;
}

}  // namespace fovea::text
