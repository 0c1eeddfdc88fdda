// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/image/preprocess.h"
#include "core/io/files.h"
#include "core/io/message_text.h"

namespace fovea::image {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Sides = std::array<std::size_t, 2>;  // height, width

constexpr std::array<double, 3> clipMean{0.48145466, 0.4578275, 0.40821073};
constexpr std::array<double, 3> clipDeviation{0.26862954, 0.26130258, 0.27577711};
constexpr std::array<double, 3> half{0.5, 0.5, 0.5};

// The longest side may be this much of the shorter one in ViLT.
constexpr double viltAspect = 1333.0 / 800;

// What a kind of processor does where its file says nothing.
struct Kind {
    std::string_view name;  // "ViT" of ViTImageProcessor, ViTImageProcessorFast and ViTFeatureExtractor
    Filter filter;
    bool sizeIsShortestEdge;  // a bare number, and the size that is not given
    std::size_t size;
    std::size_t crop;  // 0: not unless the file says so
    std::size_t divisor;
    std::array<double, 3> mean;
    std::array<double, 3> deviation;
};

constexpr std::array<Kind, 6> kinds{{
    {"ViT", Filter::Bilinear, false, 224, 0, 1, half, half},
    {"DeiT", Filter::Bicubic, false, 256, 224, 1, half, half},
    {"CLIP", Filter::Bicubic, true, 224, 224, 1, clipMean, clipDeviation},
    {"Bit", Filter::Bicubic, true, 224, 224, 1, clipMean, clipDeviation},
    {"Vilt", Filter::Bicubic, true, 384, 0, 32, half, half},
    {"ViLT", Filter::Bicubic, true, 384, 0, 32, half, half},
}};

const Kind* kindOf(std::string_view type) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
        if (!type.starts_with(kind.name)) return false;
        const std::string_view rest = type.substr(kind.name.size());
        return rest == "ImageProcessor" || rest == "ImageProcessorFast" || rest == "ImageProcessorPil" ||
               rest == "FeatureExtractor";
    });
    return found == kinds.end() ? nullptr : &*found;
}

// Reads one file's keys; the first thing that is wrong stays as the error.
class SettingsReader {
public:
    SettingsReader(const Json& json, std::string file, Sides modelSize)
        : json_(json), file_(std::move(file)), modelSize_(modelSize) {}

    Result<PreprocessSettings> read() {
        const std::string type =
            text("image_processor_type").value_or(text("feature_extractor_type").value_or(""));
        kind_ = kindOf(type);
        useDefaults();
        settings_.resize = flag("do_resize", true);
        settings_.rescale = flag("do_rescale", true);
        settings_.normalise = flag("do_normalize", true);
        readFilter();
        if (settings_.resize) readSize();
        readCrop();
        settings_.rescaleFactor = number("rescale_factor", 1.0 / 255);
        readChannels("image_mean", settings_.mean);
        readChannels("image_std", settings_.deviation);
        if (std::ranges::any_of(settings_.deviation, [](double d) { return d == 0; })) {
            refuse("image_std", "numbers other than 0", "0");
        }
        if (error_) return std::unexpected(*error_);
        return settings_;
    }

private:
    void useDefaults() {
        settings_.mean = kind_ ? kind_->mean : half;
        settings_.deviation = kind_ ? kind_->deviation : half;
        settings_.filter = kind_ ? kind_->filter : Filter::Bilinear;
        settings_.sizeDivisor = kind_ ? kind_->divisor : 1;
    }

    void refuse(std::string_view key, std::string_view expected, const std::string& found) {
        if (error_) return;
        error_ =
            Error{fmt::format("{}: {}: expected {}, found {}", file_, key, expected, io::quotable(found))};
    }

    // Null stands for a key that is not there.
    const Json* find(const char* key) const {
        const auto found = json_.find(key);
        return found == json_.end() || found->is_null() ? nullptr : &*found;
    }

    std::optional<std::string> text(const char* key) {
        const Json* value = find(key);
        if (!value) return std::nullopt;
        if (!value->is_string()) {
            refuse(key, "a text", value->dump());
            return std::nullopt;
        }
        return value->get<std::string>();
    }

    bool flag(const char* key, bool otherwise) {
        const Json* value = find(key);
        if (!value) return otherwise;
        if (!value->is_boolean()) refuse(key, "true or false", value->dump());
        return value->is_boolean() ? value->get<bool>() : otherwise;
    }

    double number(const char* key, double otherwise) {
        const Json* value = find(key);
        if (!value) return otherwise;
        const bool usable = value->is_number() && std::isfinite(value->get<double>());
        if (!usable) refuse(key, "a number", value->dump());
        return usable ? value->get<double>() : otherwise;
    }

    std::size_t side(std::string_view key, const Json& value) {
        constexpr std::size_t most = std::size_t{1} << 20;
        if (value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() > 0)) {
            const auto pixels = value.get<std::uint64_t>();
            if (pixels >= 1 && pixels <= most) return static_cast<std::size_t>(pixels);
        }
        refuse(key, fmt::format("whole pixels from 1 to {}", most), value.dump());
        return 1;
    }

    void readFilter() {
        constexpr std::array<std::string_view, 6> names{"nearest", "lanczos", "bilinear",
                                                        "bicubic", "box",     "hamming"};
        const Json* value = find("resample");
        if (!value) return;
        std::size_t index = names.size();
        if (value->is_string()) {
            std::string name = value->get<std::string>();
            std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
            index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
        } else if (value->is_number_unsigned()) {
            index = value->get<std::size_t>();
        }
        if (index >= names.size()) return refuse("resample", "a filter's number from 0 to 5", value->dump());
        settings_.filter = static_cast<Filter>(index);
    }

    void useShortestEdge(std::size_t pixels) {
        settings_.shortestEdge = pixels;
        if (settings_.sizeDivisor > 1) {
            settings_.longestEdge = static_cast<std::size_t>(viltAspect * static_cast<double>(pixels));
        }
    }

    void readDivisor() {
        if (const Json* divisor = find("size_divisor"))
            settings_.sizeDivisor = side("size_divisor", *divisor);
    }

    void readSize() {
        readDivisor();
        const Json* size = find("size");
        if (size && size->is_array() && size->size() == 1) size = &size->front();
        if (!size) {
            if (!kind_) settings_.size = modelSize_;
            else if (kind_->sizeIsShortestEdge) useShortestEdge(kind_->size);
            else settings_.size = Sides{kind_->size, kind_->size};
        } else if (size->is_number()) {
            const std::size_t pixels = side("size", *size);
            if (kind_ && kind_->sizeIsShortestEdge) useShortestEdge(pixels);
            else settings_.size = Sides{pixels, pixels};
        } else if (size->is_object() && size->contains("shortest_edge")) {
            useShortestEdge(side("size.shortest_edge", size->at("shortest_edge")));
            if (const auto longest = size->find("longest_edge");
                longest != size->end() && !longest->is_null()) {
                settings_.longestEdge = side("size.longest_edge", *longest);
            }
        } else {
            settings_.size = sides("size", *size, "height and width, or shortest_edge");
        }
        // Only a size that keeps the aspect is cut down to multiples.
        if (settings_.size) settings_.sizeDivisor = 1;
    }

    Sides sides(std::string_view key, const Json& value, std::string_view expected) {
        if (value.is_number()) {
            const std::size_t pixels = side(key, value);
            return {pixels, pixels};
        }
        if (value.is_array() && value.size() == 2) return {side(key, value[0]), side(key, value[1])};
        if (value.is_object() && value.contains("height") && value.contains("width")) {
            return {side(fmt::format("{}.height", key), value["height"]),
                    side(fmt::format("{}.width", key), value["width"])};
        }
        refuse(key, expected, value.dump());
        return {1, 1};
    }

    void readCrop() {
        const Json* crop = find("crop_size");
        const bool usual = kind_ ? kind_->crop > 0 : crop != nullptr;
        if (!flag("do_center_crop", usual)) return;
        if (crop) settings_.crop = sides("crop_size", *crop, "height and width");
        else if (kind_ && kind_->crop > 0) settings_.crop = Sides{kind_->crop, kind_->crop};
        else settings_.crop = modelSize_;
    }

    void readChannels(const char* key, std::array<double, 3>& target) {
        const Json* value = find(key);
        if (!value) return;
        const auto isFinite = [](const Json& entry) {
            return entry.is_number() && std::isfinite(entry.get<double>());
        };
        if (isFinite(*value)) {
            target.fill(value->get<double>());
        } else if (value->is_array() && (value->size() == 1 || value->size() == 3) &&
                   std::all_of(value->begin(), value->end(), isFinite)) {
            for (std::size_t c = 0; c < 3; ++c)
                target[c] = (*value)[value->size() == 1 ? 0 : c].get<double>();
        } else {
            refuse(key, "three numbers, or one for all channels", value->dump());
        }
    }

    const Json& json_;
    std::string file_;
    Sides modelSize_;
    const Kind* kind_ = nullptr;
    PreprocessSettings settings_;
    std::optional<Error> error_;
};

}  // namespace

Result<PreprocessSettings> readPreprocessing(const fs::path& folder, std::size_t height, std::size_t width) {
    const fs::path file = folder / "preprocessor_config.json";
    std::error_code error;
    if (!fs::exists(file, error)) {
        PreprocessSettings settings;
        settings.size = Sides{height, width};
        return settings;
    }
    const auto json = io::readJsonFile(file);
    if (!json) return std::unexpected(json.error());
    if (!json->is_object()) {
        return fail(fmt::format("{}: expected a JSON object, found {}", file.string(),
                                json->is_array() ? "a list" : json->type_name()));
    }
    return SettingsReader(*json, file.string(), {height, width}).read();
}

}  // namespace fovea::image
