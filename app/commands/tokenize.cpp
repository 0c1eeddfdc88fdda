// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/tokenize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/json_output.h"
#include "core/model/model_place.h"
#include "core/io/files.h"
#include "core/text/tokenizer.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string model;
    std::optional<std::string> text;
    std::optional<std::string> pair;
    std::optional<std::string> file;
    bool noSpecial = false;
    bool json = false;
};

Json encodingJson(const text::Encoding& encoding) {
    Json pieces = Json::array();
    Json offsets = Json::array();
    for (const text::Token& token : encoding.tokens) {
        pieces.push_back(token.piece);
        offsets.push_back({token.first, token.pastLast});
    }
    return {
        {"ids", encoding.ids()}, {"tokens", pieces}, {"offsets", offsets}, {"type_ids", encoding.typeIds()}};
}

std::string encodingText(const text::Encoding& encoding) {
    std::string table =
        fmt::format("{:>6}  {:>8}  {:>4}  {:>11}  {}\n", "index", "id", "type", "span", "token");
    for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
        const text::Token& token = encoding.tokens[i];
        table += fmt::format("{:>6}  {:>8}  {:>4}  {:>5}-{:<5}  {}\n", i, token.id, token.typeId, token.first,
                             token.pastLast, token.piece);
    }
    return table;
}

Result<void> printEncoding(const text::Tokenizer& tokenizer, std::string_view text,
                           std::optional<std::string_view> pair, const Options& options) {
    const auto encoding = tokenizer.encode(text, pair, !options.noSpecial);
    if (!encoding) return std::unexpected(encoding.error());
    return printText(options.json ? jsonLine(encodingJson(*encoding)) : encodingText(*encoding));
}

// A line ends at \n, or at \r\n; the last one may lack its end.
std::string_view takeLine(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Result<void> tokenizeFile(const text::Tokenizer& tokenizer, const Options& options) {
    const auto content = io::readTextFile(*options.file);
    if (!content) return std::unexpected(content.error());
    std::string_view rest = *content;
    for (std::size_t line = 1; !rest.empty(); ++line) {
        const auto printed = printEncoding(tokenizer, takeLine(rest), std::nullopt, options);
        if (printed) continue;
        if (printed.error().kind == ErrorKind::Output) return printed;
        return fail(fmt::format("{}: line {}: {}", *options.file, line, printed.error().message));
    }
    return {};
}

Result<void> tokenize(const Options& options) {
    if (options.text.has_value() == options.file.has_value()) {
        return fail("either --text or --file is needed", ErrorKind::Usage);
    }
    if (options.pair && !options.text) return fail("--pair needs --text", ErrorKind::Usage);
    const auto place = model::modelPlace(options.model);
    if (!place) return std::unexpected(place.error());
    const auto tokenizer = text::Tokenizer::fromFolder(place->folder);
    if (!tokenizer) return std::unexpected(tokenizer.error());
    if (options.file) return tokenizeFile(**tokenizer, options);
    std::optional<std::string_view> pair;
    if (options.pair) pair = *options.pair;
    return printEncoding(**tokenizer, *options.text, pair, options);
}

}  // namespace

int runTokenize(const Arguments& arguments) {
    Options options;
    CLI::App parser("Ids, tokens and spans of a text, as the model's own tokenizer gives them.",
                    "fovea tokenize");
    parser.add_option("MODEL", options.model, "Folder with the tokenizer's files")->required();
    parser.add_option("--text", options.text, "Text to tokenize; may be empty");
    parser.add_option("--pair", options.pair, "Second text of a pair");
    parser.add_option("--file", options.file, "File with one text a line");
    parser.add_flag("--no-special", options.noSpecial, "Leave out the tokens that the model adds");
    parser.add_flag("--json", options.json, "Print a JSON object a text; spans in Unicode code points");
    return runCommand(parser, arguments, [&](const RunControl&) { return tokenize(options); });
}

}  // namespace fovea::app
