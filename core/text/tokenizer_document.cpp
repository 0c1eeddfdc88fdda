// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_document.h"

#include <nlohmann/json.hpp>

#include "core/io/files.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;

/// The only key of an object that is kept as a list [key, value, key, value, ...]. It is no UTF-8, so
/// that no text has it.
constexpr const char* kListKey = "\xFF";

constexpr std::size_t kDeepest = 128;
constexpr std::size_t kLongest = std::size_t{1} << 27;  // bytes

/// Builds the document from what the parser meets. Gives up where the text is no JSON, or too deep.
class Builder final : public nlohmann::json_sax<Json> {
public:
    /// The object to be kept as a list is the document itself, or the vocabulary of its model.
    explicit Builder(bool wholeIsVocabulary) : wholeIsVocabulary_(wholeIsVocabulary) {}

    Json take() { return std::move(document_); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(std::int64_t value) override { return add(value); }
    bool number_unsigned(std::uint64_t value) override { return add(value); }
    bool number_float(double value, const std::string&) override { return add(value); }
    bool string(std::string& value) override { return add(std::move(value)); }
    bool binary(Json::binary_t&) override { return false; }

    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override { return close(); }
    bool start_object(std::size_t) override {
        const bool list = isVocabulary();
        if (open_.size() == 1) inModel_ = key_ == "model" && open_[0]->is_object();
        if (!open(Json::object())) return false;
        if (list) open_.back() = &((*open_.back())[kListKey] = Json::array());
        return true;
    }
    bool end_object() override { return close(); }
    bool key(std::string& value) override {
        if (open_.back()->is_array()) return add(std::move(value));
        key_ = std::move(value);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    bool isVocabulary() const {
        if (wholeIsVocabulary_) return open_.empty();
        return open_.size() == 2 && inModel_ && open_[1]->is_object() && key_ == "vocab";
    }

    Json& place(Json&& value) {
        if (open_.empty()) return document_ = std::move(value);
        Json& parent = *open_.back();
        if (parent.is_object()) return parent[key_] = std::move(value);
        return parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
    }
    bool add(Json value) {
        place(std::move(value));
        return true;
    }
    bool open(Json value) {
        if (open_.size() == kDeepest) return false;
        open_.push_back(&place(std::move(value)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    bool wholeIsVocabulary_;
    Json document_;
    std::vector<Json*> open_;  // from the document down to what is being read
    std::string key_;          // of the next value in an object
    bool inModel_ = false;     // the outermost member at hand is "model"
};

Result<Json> readDocument(const std::filesystem::path& file, bool wholeIsVocabulary) {
    const auto text = io::readTextFile(file, kLongest);
    if (!text) return std::unexpected(text.error());
    Builder builder(wholeIsVocabulary);
    // To the parser a zero byte is the end, whatever follows it.
    if (auto fits = io::checkJsonFitsMemory(*text, file.string()); !fits)
        return std::unexpected(fits.error());
    if (text->find('\0') == text->npos && Json::sax_parse(*text, &builder)) return builder.take();
    return io::parseJson(*text, file.string());  // says what is wrong
}

}  // namespace

Result<Json> readTokenizerDocument(const std::filesystem::path& file) { return readDocument(file, false); }

Result<Json> readVocabularyDocument(const std::filesystem::path& file) { return readDocument(file, true); }

std::vector<std::pair<const std::string*, const Json*>> entriesOf(const Json& object) {
    std::vector<std::pair<const std::string*, const Json*>> entries;
    if (const auto kept = object.find(kListKey); kept != object.end()) {
        const auto& list = kept->get_ref<const Json::array_t&>();
        entries.reserve(list.size() / 2);
        for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
            entries.emplace_back(&list[i].get_ref<const std::string&>(), &list[i + 1]);
        }
        return entries;
    }
    entries.reserve(object.size());
    for (const auto& [key, value] : object.get_ref<const Json::object_t&>())
        entries.emplace_back(&key, &value);
    return entries;
}

}  // namespace fovea::text
