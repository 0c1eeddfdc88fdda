// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/attention_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/array_file.h"
#include "core/io/message_text.h"
#include "core/session/dump_arrays.h"
#include "core/session/dump_metadata.h"
#include "core/session/piece_labels.h"
#include "core/session/token_words.h"

namespace fovea::session {

namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> sideOf(double value) {
    constexpr double most = 1 << 24;
    if (!(value >= 1 && value <= most) || value != std::floor(value)) return std::nullopt;
    return static_cast<std::size_t>(value);
}

Result<std::optional<PatchGrid>> gridOf(const io::ArrayFile& file, std::span<const AttentionRecord> records) {
    const auto numbers = numbersBeside(file, "grid", 2);
    if (!numbers) return std::unexpected(numbers.error());
    if (numbers->empty()) return std::nullopt;
    const auto rows = sideOf((*numbers)[0]);
    const auto columns = sideOf((*numbers)[1]);
    if (!rows || !columns) {
        return fail(fmt::format("{}: grid: expected rows and columns from 1, found {} and {}",
                                file.path.string(), (*numbers)[0], (*numbers)[1]));
    }
    const std::size_t patches = *rows * *columns;
    for (const AttentionRecord& record : records) {
        const std::size_t keys = record.scores->keys();
        if (patches > keys) {
            return fail(fmt::format("{}: a grid of {} x {} = {} patches does not fit {} keys",
                                    file.path.string(), *rows, *columns, patches, keys));
        }
        if (keys != records.front().scores->keys()) {
            return fail(fmt::format("{}: a grid needs as many keys in every layer, found {} and {}",
                                    file.path.string(), records.front().scores->keys(), keys));
        }
    }
    return PatchGrid{*rows, *columns, records.front().scores->keys() - patches};
}

// A piece for a byte is none: "<0xE4>".
bool looksSpecial(const std::string& text) {
    return text.size() > 2 && !(text.size() == 6 && text.starts_with("<0x")) &&
           ((text.front() == '[' && text.back() == ']') || (text.front() == '<' && text.back() == '>'));
}

TokenLabel labelOf(std::string text, bool special, bool patch) {
    TokenLabel label;
    label.text = label.piece = std::move(text);
    label.special = special;
    label.sequence = special || patch ? -1 : 0;
    return label;
}

std::string nameOf(std::size_t position, const std::optional<PatchGrid>& grid) {
    if (!grid) return std::to_string(position);
    if (!grid->contains(position)) return fmt::format("[prefix {}]", position);
    return fmt::format("{},{}", grid->rowOf(position), grid->columnOf(position));
}

// `key` lists the places of special tokens; where it is absent they are known by their looks.
Result<void> markSpecial(const io::ArrayFile& file, const char* key, std::vector<TokenLabel>& labels) {
    const auto special = numbersBeside(file, key, 0);
    if (!special) return std::unexpected(special.error());
    if (special->empty()) return {};
    for (TokenLabel& label : labels) label.special = false;
    for (const double index : *special) {
        if (index >= 0 && index < static_cast<double>(labels.size())) {
            labels[static_cast<std::size_t>(index)].special = true;
        }
    }
    return {};
}

Result<void> markPadding(const io::ArrayFile& file, std::vector<TokenLabel>& labels) {
    const auto mask = numbersBeside(file, "attention_mask", 0);
    if (!mask) return std::unexpected(mask.error());
    for (std::size_t i = 0; mask->size() == labels.size() && i < labels.size(); ++i)
        labels[i].padding = (*mask)[i] == 0;
    return {};
}

// `key` gives each token's word by number, -1 for one that stands alone; where it is absent pieces tell.
Result<void> markWords(const io::ArrayFile& file, const char* key, std::vector<TokenLabel>& labels) {
    const auto words = numbersBeside(file, key, 0);
    if (!words) return std::unexpected(words.error());
    if (words->size() == labels.size()) setGivenWords(*words, labels);
    else setWordsOfPieces(labels);
    return {};
}

// A site whose keys are the text that is read: not one of a decoder beside others.
const AttentionRecord& readingRecord(std::span<const AttentionRecord> records) {
    const auto found = std::ranges::find_if(
        records, [](const AttentionRecord& record) { return record.site.kind != SiteKind::Decoder; });
    return found == records.end() ? records.front() : *found;
}

// Labels of the positions that most sites look at: given ones, or made up.
Result<std::vector<TokenLabel>> labelsOf(const io::ArrayFile& file, std::span<const AttentionRecord> records,
                                         const std::optional<PatchGrid>& grid) {
    auto texts = textsBeside(file, "tokens");
    if (!texts) return std::unexpected(texts.error());
    const bool given = !texts->empty();
    const std::size_t keys = readingRecord(records).scores->keys();
    const bool fits = std::any_of(records.begin(), records.end(), [&](const AttentionRecord& record) {
        return record.scores->keys() == texts->size();
    });
    if (given && (!fits || (grid && texts->size() != keys))) {
        return fail(fmt::format("{}: tokens: expected one a key, {}, found {}", file.path.string(), keys,
                                texts->size()));
    }
    std::vector<TokenLabel> labels;
    for (std::size_t i = 0; i < (given ? texts->size() : keys); ++i) {
        const bool patch = grid && grid->contains(i);
        std::string text = given ? std::move((*texts)[i]) : nameOf(i, grid);
        const bool special = !patch && looksSpecial(text);
        labels.push_back(labelOf(std::move(text), special, patch));
    }
    if (auto marked = markSpecial(file, "special_tokens", labels); !marked)
        return std::unexpected(marked.error());
    if (auto marked = markPadding(file, labels); !marked) return std::unexpected(marked.error());
    if (given) readPieces(labels);
    if (auto marked = markWords(file, "words", labels); !marked) return std::unexpected(marked.error());
    return labels;
}

Result<std::vector<TokenLabel>> queryLabelsOf(const io::ArrayFile& file,
                                              std::span<const AttentionRecord> records) {
    const char* key = "query_tokens";
    auto texts = textsBeside(file, key);
    if (texts && texts->empty()) texts = textsBeside(file, key = "target_tokens");
    if (!texts) return std::unexpected(texts.error());
    std::vector<TokenLabel> labels;
    if (texts->empty()) return labels;
    const bool fits = std::any_of(records.begin(), records.end(), [&](const AttentionRecord& record) {
        return record.scores->queries() == texts->size();
    });
    if (!fits) {
        const auto asks = std::ranges::find_if(
            records, [](const AttentionRecord& record) { return record.site.kind != SiteKind::Encoder; });
        const AttentionRecord& asking = asks == records.end() ? records.front() : *asks;
        return fail(fmt::format("{}: {}: expected one a query, {}, found {}", file.path.string(), key,
                                asking.scores->queries(), texts->size()));
    }
    for (std::string& text : *texts) {
        const bool special = looksSpecial(text);
        labels.push_back(labelOf(std::move(text), special, false));
    }
    if (auto marked = markSpecial(file, "special_target_tokens", labels); !marked)
        return std::unexpected(marked.error());
    readPieces(labels);
    if (auto marked = markWords(file, "target_words", labels); !marked)
        return std::unexpected(marked.error());
    return labels;
}

// One stack whose queries have names of their own is attention from one text to another.
void setCross(std::span<const TokenLabel> queries, std::span<const TokenLabel> tokens,
              std::span<AttentionRecord> records) {
    const bool others = !queries.empty() && !std::ranges::equal(queries, tokens, {}, &TokenLabel::piece,
                                                                &TokenLabel::piece);
    for (AttentionRecord& record : records) {
        const bool oneStack = record.site.name.starts_with("layer.");
        if (others && oneStack && record.scores->queries() == queries.size())
            record.site.kind = SiteKind::Cross;
    }
}

// Labels of the positions that other sites ask from: given ones, or numbers where there are two texts.
std::vector<TokenLabel> targetLabels(std::vector<TokenLabel> given,
                                     std::span<const AttentionRecord> records) {
    const auto has = [&](SiteKind kind) {
        return std::ranges::any_of(records, [&](const auto& record) { return record.site.kind == kind; });
    };
    const bool twoTexts = has(SiteKind::Cross) || (has(SiteKind::Encoder) && has(SiteKind::Decoder));
    if (!twoTexts) return {};
    if (!given.empty()) return given;
    const auto asking = std::ranges::find_if(
        records, [](const AttentionRecord& record) { return record.site.kind != SiteKind::Encoder; });
    for (std::size_t i = 0; i < asking->scores->queries(); ++i)
        given.push_back(labelOf(std::to_string(i), false, false));
    return given;
}

Result<std::shared_ptr<const image::RgbImage>> embeddedImage(const io::ArrayFile& file,
                                                             const io::FileArray& array) {
    const auto& shape = array.shape;
    const std::size_t channels = shape.size() == 3 ? shape[2] : 1;
    const bool usable = array.numbers.type == io::ElementType::U8 &&
                        (shape.size() == 2 || shape.size() == 3) &&
                        (channels == 1 || channels == 3 || channels == 4) && io::elementCount(shape) > 0;
    // As for pictures in files of their own.
    constexpr std::size_t mostPixels = std::size_t{1} << 27;
    if (!usable || shape[0] * shape[1] > mostPixels) {
        return fail(fmt::format("{}: image: expected bytes (height, width, 3) of at most {} pixels, found "
                                "{} {}",
                                file.path.string(), mostPixels, io::elementTypeName(array.numbers.type),
                                io::shapeText(shape)));
    }
    auto rgb = std::make_shared<image::RgbImage>(image::RgbImage{shape[1], shape[0], {}});
    rgb->pixels.reserve(shape[0] * shape[1] * 3);
    const auto bytes = array.numbers.bytes;
    for (std::size_t at = 0; at < bytes.size(); at += channels) {
        for (std::size_t c = 0; c < 3; ++c) {
            rgb->pixels.push_back(std::to_integer<std::uint8_t>(bytes[at + (channels == 1 ? 0 : c)]));
        }
    }
    return rgb;
}

Result<void> readPicture(const io::ArrayFile& file, AttentionDump& dump) {
    const io::FileArray* array = file.find("image");
    if (array && !array->isText) {
        auto embedded = embeddedImage(file, *array);
        if (!embedded) return std::unexpected(embedded.error());
        dump.image = std::move(*embedded);
    } else {
        const bool inMetadata = !array && file.metadata.contains("image");
        std::string place = inMetadata ? file.metadata.at("image") : std::string();
        if (array && array->texts.size() == 1) place = array->texts.front();
        if (!place.empty()) {
            std::error_code error;
            dump.imageFile = fs::absolute(file.path.parent_path() / place, error).lexically_normal();
        }
    }
    const auto frame = numbersBeside(file, "frame", 4);
    if (!frame) return std::unexpected(frame.error());
    if (frame->empty()) return {};
    dump.frame = image::PixelRect{(*frame)[0], (*frame)[1], (*frame)[2], (*frame)[3]};
    const bool usable = std::ranges::all_of(*frame, [](double v) { return std::abs(v) < 1e9; }) &&
                        dump.frame->width > 0 && dump.frame->height > 0;
    if (usable) return {};
    return fail(fmt::format("{}: frame: expected left, top, width and height in pixels, found {}, {}, {}, {}",
                            file.path.string(), (*frame)[0], (*frame)[1], (*frame)[2], (*frame)[3]));
}

ModelInfo infoOf(const io::ArrayFile& file, std::span<const AttentionRecord> records) {
    const auto said = [&](const char* key, std::string otherwise) {
        const auto found = file.metadata.find(key);
        return found == file.metadata.end() || found->second.empty() ? std::move(otherwise)
                                                                     : io::quotable(found->second);
    };
    ModelInfo info;
    info.folder = file.path;
    info.name = said("model", file.path.stem().string());
    info.format = "dump";
    info.modelType = said("model_type", "dump");
    info.layers = records.size();
    for (const AttentionRecord& record : records) {
        info.sites.push_back(record.site);
        info.heads = std::max(info.heads, record.site.heads);
        info.keyValueHeads = std::max(info.keyValueHeads, record.site.keyValueHeads);
    }
    return info;
}

}  // namespace

Result<AttentionDump> readAttentionDump(const fs::path& path, const RunControl& control) {
    const auto file = io::readArrayFile(path);
    if (!file) return std::unexpected(file.error());
    auto records = recordsOfDump(*file, control);
    if (!records) return std::unexpected(records.error());
    AttentionDump dump;
    auto trace = std::make_shared<Trace>();
    const auto grid = gridOf(*file, *records);
    if (!grid) return std::unexpected(grid.error());
    trace->grid = *grid;
    auto labels = labelsOf(*file, *records, *grid);
    if (!labels) return std::unexpected(labels.error());
    trace->tokens = std::move(*labels);
    auto queries = queryLabelsOf(*file, *records);
    if (!queries) return std::unexpected(queries.error());
    dump.queryTokens = std::move(*queries);
    setCross(dump.queryTokens, trace->tokens, *records);
    trace->targetTokens = targetLabels(dump.queryTokens, *records);
    dump.info = infoOf(*file, *records);
    if (auto read = readPicture(*file, dump); !read) return std::unexpected(read.error());
    trace->records = std::move(*records);
    dump.trace = std::move(trace);
    return dump;
}

bool looksLikeDump(const fs::path& path) {
    return io::isArrayFileName(path);
}

}  // namespace fovea::session
