// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/chemical_vocabulary.h"

#include <algorithm>
#include <array>

namespace fovea::text {
namespace {

// Longer symbols first: "Cl" is chlorine and no carbon.
constexpr const char* kSymbol =
    R"(%\([0-9]{3}\)|%[0-9]{2}|\[[^\[\]]+\]|Br?|Cl?|>>?|[NOSPFIbcnosp0-9()=#.\-+\\/:~@?*$|])";

}  // namespace

bool writesMolecules(const Vocabulary& vocabulary) {
    constexpr std::array symbols{"C", "c", "N", "n", "O", "Cl", "Br", "(", ")", "=", "#", "1", "2"};
    const auto known = [&](const char* symbol) { return vocabulary.find(symbol).has_value(); };
    if (!std::ranges::all_of(symbols, known)) return false;
    for (std::size_t id = 0; id < vocabulary.pastLastId(); ++id) {
        const std::string* piece = vocabulary.piece(static_cast<std::int64_t>(id));
        if (piece && piece->starts_with("##")) return false;
    }
    return true;
}

void planMolecules(TokenizerPlan& plan, Vocabulary vocabulary) {
    plan.normalizer = {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}};
    plan.preTokenizer = {{"type", "Split"}, {"pattern", {{"Regex", kSymbol}}}, {"behavior", "Isolated"},
                         {"invert", false}};
    plan.decoder = {{"type", "Fuse"}};
    plan.model = makeWordLevel(std::move(vocabulary), contentOf(plan.named.unknown));
}

}  // namespace fovea::text
