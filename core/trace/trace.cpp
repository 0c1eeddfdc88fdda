// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/trace.h"

#include <algorithm>

namespace fovea {

const OutputArray* Trace::findOutput(std::string_view name) const {
    const auto found = std::ranges::find(outputs, name, &OutputArray::name);
    return found == outputs.end() ? nullptr : &*found;
}

std::span<const TokenLabel> Trace::queryTokens(SiteKind kind) const {
    return kind == SiteKind::Encoder || targetTokens.empty() ? tokens : targetTokens;
}

std::span<const TokenLabel> Trace::keyTokens(SiteKind kind) const {
    return kind != SiteKind::Decoder || targetTokens.empty() ? tokens : targetTokens;
}

std::span<const TokenLabel> Trace::queryTokens(SiteIndex site) const {
    return queryTokens(records.at(site.value).site.kind);
}

std::span<const TokenLabel> Trace::keyTokens(SiteIndex site) const {
    return keyTokens(records.at(site.value).site.kind);
}

}  // namespace fovea
