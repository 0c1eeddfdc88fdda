// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/metaspace.h"

#include "core/text/pattern.h"
#include "core/text/pre_tokenizers.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

class MetaspacePreTokenizer final : public PreTokenizer {
public:
    explicit MetaspacePreTokenizer(const Metaspace& settings)
        : settings_(settings), space_(Pattern::literal(" ")), mark_(Pattern::literal(settings.markText())) {}

    Result<std::vector<NormalizedText>> split(NormalizedText text) const override {
        auto spaces = space_.cut(text.text());
        if (!spaces) return std::unexpected(spaces.error());
        const std::string mark = settings_.markText();
        if (auto done = text.replace(*spaces, mark); !done) return std::unexpected(done.error());
        const bool wanted = settings_.prepend == Metaspace::Prepend::Always ||
                            (settings_.prepend == Metaspace::Prepend::First && text.source().first == 0);
        if (wanted && !text.text().starts_with(mark)) text.prepend(mark);
        if (!settings_.split) return std::vector<NormalizedText>{std::move(text)};
        auto marks = mark_.cut(text.text());
        if (!marks) return std::unexpected(marks.error());
        return text.split(std::move(*marks), SplitBehaviour::MergedWithNext);
    }

private:
    Metaspace settings_;
    Pattern space_, mark_;
};

}  // namespace

Result<Metaspace> Metaspace::fromPart(const ConfigPart& part) {
    Metaspace settings;
    const auto mark = part.text("replacement");
    if (!mark) return std::unexpected(mark.error());
    if (countCodePoints(*mark) != 1) return part.error("\"replacement\" should be one character");
    settings.mark = codePointAt(*mark, 0).character;

    const auto scheme = part.find("prepend_scheme")
            ? part.text("prepend_scheme") : Result<std::string>("always");
    if (!scheme) return std::unexpected(scheme.error());
    if (*scheme == "first") settings.prepend = Prepend::First;
    else if (*scheme == "never") settings.prepend = Prepend::Never;
    else if (*scheme != "always") return part.error("\"prepend_scheme\" should be first, never or always");

    const auto legacy = part.flagOr("add_prefix_space", true), split = part.flagOr("split", true);
    if (!legacy) return std::unexpected(legacy.error());
    if (!split) return std::unexpected(split.error());
    if (!*legacy && settings.prepend != Prepend::Never) {
        return part.error("\"add_prefix_space\" contradicts \"prepend_scheme\"");
    }
    settings.split = *split;
    return settings;
}

std::string Metaspace::markText() const {
    std::string text;
    appendUtf8(text, mark);
    return text;
}

Result<std::unique_ptr<const PreTokenizer>> makeMetaspacePreTokenizer(const ConfigPart& part) {
    const auto settings = Metaspace::fromPart(part);
    if (!settings) return std::unexpected(settings.error());
    return std::make_unique<MetaspacePreTokenizer>(*settings);
}

}  // namespace fovea::text
