// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/dump_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "core/io/memory_room.h"
#include "core/io/message_text.h"
#include "core/io/safetensors.h"
#include "core/session/dump_metadata.h"
#include "core/session/dump_names.h"

namespace fovea::session {

namespace {

using Content = DumpName::Content;

// The arrays of one layer.
struct LayerArrays {
    std::map<Content, const io::FileArray*> byContent;
    bool oneStack = true;
    std::size_t slice = 0;   // of an array of several layers
    std::size_t slices = 1;
};

// Stack, layer: the order in which sites stand.
using Layers = std::map<std::pair<SiteKind, std::size_t>, LayerArrays>;

std::unexpected<Error> refuse(const io::ArrayFile& file, const io::FileArray& array, const std::string& why) {
    const std::string name = array.name.empty() ? std::string() : io::quotable(array.name) + ": ";
    return fail(fmt::format("{}: {}{}", file.path.string(), name, why));
}

bool couldBeAttention(const io::FileArray& array) {
    return !array.isText && array.shape.size() >= 2 && array.shape.size() <= 4;
}

std::unexpected<Error> nothingFound(const io::ArrayFile& file) {
    std::vector<std::string> names;
    for (const io::FileArray& array : file.arrays) {
        if (names.size() == 6) {
            names.emplace_back("...");
            break;
        }
        names.push_back(io::quotable(array.name) + " " + io::shapeText(array.shape));
    }
    return fail(fmt::format(
        "{}: expected arrays named attention..., scores..., or queries... and keys...; found {}",
        file.path.string(), names.empty() ? "none at all" : fmt::format("{}", fmt::join(names, ", "))));
}

struct Extent {
    std::size_t heads = 1;
    std::size_t rows = 0;
    std::size_t columns = 0;
};

// The last three axes; one head where there are two.
Extent extentOf(const io::FileArray& array) {
    const auto& shape = array.shape;
    const std::size_t axes = shape.size();
    return {axes >= 3 ? shape[axes - 3] : 1, shape[axes - 2], shape[axes - 1]};
}

Result<std::vector<float>> valuesOf(const io::ArrayFile& file, const io::FileArray& array,
                                    const LayerArrays& layer) {
    const std::size_t bytes = array.numbers.bytes.size() / layer.slices;
    io::ArrayView part{array.numbers.type, {bytes / io::elementSize(array.numbers.type)},
                       array.numbers.bytes.subspan(layer.slice * bytes, bytes)};
    const std::string what =
        fmt::format("{}: {}: shape {} as float32", file.path.string(), io::quotable(array.name),
                    io::shapeText(array.shape));
    if (auto fits = io::checkFitsMemory(what, part.shape.front() * sizeof(float)); !fits)
        return std::unexpected(fits.error());
    auto converted = io::convertedArray<float>(part, array.name);
    if (!converted) return fail(fmt::format("{}: {}", file.path.string(), converted.error().message));
    return std::move(converted->values);
}

// Weights in half precision sum to one less exactly.
double sumTolerance(io::ElementType type) {
    return type == io::ElementType::F16 || type == io::ElementType::BF16 ? 1e-2 : 1e-3;
}

struct RowFault {
    std::size_t row = 0;
    double value = 0;
    bool negative = false;
};

// The first row that cannot be one of weights. NaN is kept as what it is; a row of zeros is all masked.
std::optional<RowFault> faultOf(std::span<const float> weights, std::size_t keys, double tolerance) {
    for (std::size_t row = 0; row * keys < weights.size(); ++row) {
        double sum = 0;
        for (const float weight : weights.subspan(row * keys, keys)) {
            if (weight < 0) return RowFault{row, weight, true};
            sum += weight;
        }
        if (!std::isnan(sum) && sum != 0 && std::abs(sum - 1) > tolerance) return RowFault{row, sum, false};
    }
    return std::nullopt;
}

Result<void> weightsToScores(const io::ArrayFile& file, const io::FileArray& array,
                             std::vector<float>& values) {
    const Extent extent = extentOf(array);
    if (const auto fault = faultOf(values, extent.columns, sumTolerance(array.numbers.type))) {
        const std::string place =
            fmt::format("head {}, row {}", fault->row / extent.rows, fault->row % extent.rows);
        return refuse(
            file, array,
            fault->negative
                ? fmt::format("{}: weights are not negative, found {:g} (scores are called scores...)", place,
                              fault->value)
                : fmt::format("{}: weights sum to 1, found {:g} (scores are called scores...)", place,
                              fault->value));
    }
    for (float& value : values) value = std::log(value);
    return {};
}

Result<std::shared_ptr<const ScoreSource>> matrixOf(const io::ArrayFile& file, const io::FileArray& array,
                                                    const LayerArrays& layer, bool weights) {
    const Extent extent = extentOf(array);
    auto values = valuesOf(file, array, layer);
    if (!values) return std::unexpected(values.error());
    if (weights) {
        if (auto turned = weightsToScores(file, array, *values); !turned)
            return std::unexpected(turned.error());
    }
    return scoresFromMatrix(extent.heads, extent.rows, extent.columns, std::move(*values));
}

// A number for all sites, or one by site's name.
Result<double> scaleOf(const io::ArrayFile& file, const std::string& site, std::size_t width) {
    auto json = besideAttention(file, "scale");
    if (!json) return std::unexpected(json.error());
    if (json->is_object()) json = nlohmann::json(json->value(site, nlohmann::json()));
    if (json->is_array() && json->size() == 1) json = nlohmann::json(json->front());
    if (json->is_null()) return 1 / std::sqrt(static_cast<double>(width));
    const bool usable = json->is_number() && std::isfinite(json->get<double>());
    if (usable) return json->get<double>();
    return fail(
        fmt::format("{}: scale: expected a number, found {}", file.path.string(),
                    io::quotable(json->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))));
}

// What a site's entry in a JSON object of the metadata says; null where nothing.
nlohmann::json entryOf(const io::ArrayFile& file, const char* key, const std::string& site) {
    const auto json = besideAttention(file, key);
    if (!json || !json->is_object()) return {};
    return json->value(site, nlohmann::json());
}

Result<std::vector<bool>> visibleKeys(const io::ArrayFile& file, std::size_t keys) {
    const auto mask = numbersBeside(file, "attention_mask", 0);
    if (!mask) return std::unexpected(mask.error());
    if (mask->size() != keys) return std::vector<bool>{};
    std::vector<bool> visible;
    for (const double entry : *mask) visible.push_back(entry != 0);
    const bool all = std::ranges::find(visible, false) == visible.end();
    return all ? std::vector<bool>{} : visible;
}

EntmaxParameters appliedAt(const io::ArrayFile& file, const std::string& site) {
    const auto entry = entryOf(file, "mechanisms", site);
    if (!entry.is_object()) return {};
    const auto number = [&](const char* key) {
        const auto value = entry.find(key);
        return value != entry.end() && value->is_number() ? value->get<double>() : 1.0;
    };
    return checked(EntmaxParameters{number("alpha"), number("temperature")}).value_or(EntmaxParameters{});
}

// "full", "causal", "causal, window 8", each with ", padding" where some keys are.
void setMask(std::string_view kind, QueriesAndKeys& recorded) {
    if (!kind.starts_with("causal")) return;
    recorded.maskKind = MaskKind::Causal;
    constexpr std::string_view word = ", window ";
    const std::size_t place = kind.find(word);
    if (place == std::string_view::npos) return;
    const std::string_view digits = kind.substr(place + word.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), recorded.window);
    // It is added to places of keys.
    recorded.window = std::min(recorded.window, std::size_t{1} << 32);
}

Result<AttentionRecord> queriesRecord(const io::ArrayFile& file, const io::FileArray& queries,
                                      const io::FileArray& keys, const LayerArrays& layer,
                                      AttentionRecord record) {
    const Extent query = extentOf(queries);
    const Extent key = extentOf(keys);
    if (query.columns != key.columns || query.heads % key.heads != 0) {
        return refuse(file, keys, fmt::format("{} does not go with {} of {}", io::shapeText(keys.shape),
                                              queries.name, io::shapeText(queries.shape)));
    }
    QueriesAndKeys recorded{query.heads, key.heads, query.rows, key.rows,       query.columns,
                            1,           {},        {},         MaskKind::Full, {}};
    const auto scale = scaleOf(file, record.site.name, query.columns);
    if (!scale) return std::unexpected(scale.error());
    recorded.scale = static_cast<float>(*scale);
    auto queryValues = valuesOf(file, queries, layer);
    if (!queryValues) return std::unexpected(queryValues.error());
    auto keyValues = valuesOf(file, keys, layer);
    if (!keyValues) return std::unexpected(keyValues.error());
    // A mask speaks of the text that is read, not of what a decoder beside it wrote.
    const bool written = !layer.oneStack && record.site.kind == SiteKind::Decoder;
    auto visible = visibleKeys(file, written ? 0 : key.rows);
    if (!visible) return std::unexpected(visible.error());
    recorded.queryValues = std::move(*queryValues);
    recorded.keyValues = std::move(*keyValues);
    recorded.keyVisible = std::move(*visible);
    const auto kind = entryOf(file, "mask_kinds", record.site.name);
    if (kind.is_string()) setMask(kind.get<std::string>(), recorded);
    record.site.keyValueHeads = key.heads;
    record.applied = appliedAt(file, record.site.name);
    record.scores = scoresFromQueriesAndKeys(std::move(recorded));
    return record;
}

Result<AttentionRecord> recordOf(const io::ArrayFile& file, SiteKind stack, std::size_t number,
                                 const LayerArrays& layer) {
    AttentionRecord record;
    record.site.kind = stack;
    record.site.layer = LayerIndex(number);
    record.site.name = fmt::format("{}.{}", layer.oneStack ? "layer" : siteKindName(stack), number);
    const auto find = [&](Content content) {
        const auto found = layer.byContent.find(content);
        return found == layer.byContent.end() ? nullptr : found->second;
    };
    const io::FileArray* matrix = find(Content::Scores) ? find(Content::Scores) : find(Content::Weights);
    const io::FileArray* queries = find(Content::Queries);
    const io::FileArray* keys = find(Content::Keys);
    const io::FileArray& any = matrix ? *matrix : queries ? *queries : *keys;
    record.site.heads = record.site.keyValueHeads = extentOf(any).heads;
    // Queries that are not the keys' positions are those of another text.
    const auto askedFromElsewhere = [&](Result<AttentionRecord> made) {
        if (made && layer.oneStack && made->scores->queries() != made->scores->keys())
            made->site.kind = SiteKind::Cross;
        return made;
    };
    if (!matrix && queries && keys)
        return askedFromElsewhere(queriesRecord(file, *queries, *keys, layer, std::move(record)));
    if (!matrix) return refuse(file, any, queries ? "its keys are missing" : "its queries are missing");
    auto scores = matrixOf(file, *matrix, layer, matrix != find(Content::Scores));
    if (!scores) return std::unexpected(scores.error());
    record.scores = std::move(*scores);
    return askedFromElsewhere(std::move(record));
}

Result<void> placeArray(const io::ArrayFile& file, const io::FileArray& array, const DumpName& name,
                        Layers& layers) {
    if (!couldBeAttention(array) || io::elementCount(array.shape) == 0) {
        return refuse(file, array,
                      fmt::format("expected (layers, heads, queries, keys), (heads, queries, keys) or "
                                  "(queries, keys), found {}",
                                  io::shapeText(array.shape)));
    }
    const std::size_t slices = array.shape.size() == 4 ? array.shape[0] : 1;
    if (name.layer && slices > 1) {
        return refuse(file, array, fmt::format("its name is of one layer, but its shape {} is of {}",
                                               io::shapeText(array.shape), slices));
    }
    constexpr std::size_t mostLayers = 100'000;
    if (slices > mostLayers)
        return refuse(file, array, fmt::format("{} layers, expected at most {}", slices, mostLayers));
    for (std::size_t slice = 0; slice < slices; ++slice) {
        LayerArrays& layer = layers[{name.stack, name.layer.value_or(0) + slice}];
        layer.oneStack = name.oneStack;
        layer.slice = slice;
        layer.slices = slices;
        const auto [other, isNew] = layer.byContent.emplace(name.content, &array);
        if (!isNew) {
            return refuse(file, array,
                          fmt::format("is the same layer as {}", io::quotable(other->second->name)));
        }
    }
    return {};
}

// The only array that could be attention, where no name says so.
Result<void> placeNameless(const io::ArrayFile& file, Layers& layers) {
    const io::FileArray* only = nullptr;
    for (const io::FileArray& array : file.arrays) {
        if (array.name == "image" || array.name == "pixel_values" || array.name == "tokens" ||
            array.name == "query_tokens" || !couldBeAttention(array)) {
            continue;
        }
        if (only) return nothingFound(file);
        only = &array;
    }
    if (!only) return nothingFound(file);
    DumpName name = dumpNameOf(file.path.stem().string()).value_or(DumpName{});
    const bool named = only->name.empty() && dumpNameOf(file.path.stem().string()).has_value();
    if (only->shape.size() == 4) name.layer.reset();
    if (!named && io::elementCount(only->shape) > 0) {
        const auto values = valuesOf(file, *only, {});
        if (!values) return std::unexpected(values.error());
        const bool weights = !faultOf(*values, only->shape.back(), sumTolerance(only->numbers.type));
        name.content = weights ? Content::Weights : Content::Scores;
    }
    return placeArray(file, *only, name, layers);
}

}  // namespace

Result<std::vector<AttentionRecord>> recordsOfDump(const io::ArrayFile& file, const RunControl& control) {
    Layers layers;
    for (const io::FileArray& array : file.arrays) {
        const auto name = dumpNameOf(array.name);
        if (!name) continue;
        if (auto placed = placeArray(file, array, *name, layers); !placed)
            return std::unexpected(placed.error());
    }
    if (layers.empty()) {
        if (auto placed = placeNameless(file, layers); !placed) return std::unexpected(placed.error());
    }
    std::vector<AttentionRecord> records;
    for (const auto& [place, layer] : layers) {
        if (control.stop.stop_requested()) return fail("cancelled", ErrorKind::Cancelled);
        control.report("reading the attention",
                       static_cast<double>(records.size()) / static_cast<double>(layers.size()));
        auto record = recordOf(file, place.first, place.second, layer);
        if (!record) return std::unexpected(record.error());
        records.push_back(std::move(*record));
    }
    return records;
}

}  // namespace fovea::session
