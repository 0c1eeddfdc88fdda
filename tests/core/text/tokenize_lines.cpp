// SPDX-License-Identifier: GPL-3.0-or-later
// Tokenises the JSON strings of standard input, one a line, or decodes arrays of ids, and prints one
// JSON object a line; compare_with_reference.py drives it.
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/text/tokenizer.h"

namespace {

using Json = nlohmann::json;
using fovea::text::Tokenizer;

Json encoded(const Tokenizer& tokenizer, const Json& request) {
    const std::string text = request.at("text");
    std::optional<std::string> pair;
    if (request.contains("pair")) pair = request.at("pair");
    const auto encoding = tokenizer.encode(text, pair, request.value("special", true));
    if (!encoding) return {{"error", encoding.error().message}};
    Json pieces = Json::array(), offsets = Json::array(), sequences = Json::array();
    for (const auto& token : encoding->tokens) {
        pieces.push_back(token.piece);
        offsets.push_back({token.first, token.pastLast});
        sequences.push_back(token.sequence);
    }
    const auto decoded = tokenizer.decode(encoding->ids());
    return {{"ids", encoding->ids()}, {"tokens", pieces}, {"offsets", offsets},
            {"type_ids", encoding->typeIds()},
            {"sequences", sequences}, {"decoded", decoded ? Json(*decoded) : Json(nullptr)}};
}

Json decoded(const Tokenizer& tokenizer, const Json& request) {
    const auto text = tokenizer.decode(request.at("ids").get<std::vector<std::int64_t>>());
    return text ? Json{{"decoded", *text}} : Json{{"error", text.error().message}};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto tokenizer = Tokenizer::fromFolder(argv[1]);
    if (!tokenizer) {
        std::cerr << tokenizer.error().message << '\n';
        return 1;
    }
    for (std::string line; std::getline(std::cin, line);) {
        const Json request = Json::parse(line);
        std::cout << (request.contains("ids")
                      ? decoded(**tokenizer, request) : encoded(**tokenizer, request)).dump()
                  << '\n';
    }
}
