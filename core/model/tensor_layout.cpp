// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensor_layout.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "core/model/model_family.h"
#include "core/support/precondition.h"
#include "core/trace/mechanism_plan.h"

namespace fovea::model {

namespace {

// What older files call a norm's weight and bias.
std::string oldNormName(const std::string& name) {
    for (const auto& [today, old] :
         {std::pair{"LayerNorm.weight", "LayerNorm.gamma"}, std::pair{"LayerNorm.bias", "LayerNorm.beta"}}) {
        if (name.ends_with(today)) return name.substr(0, name.size() - std::string_view(today).size()) + old;
    }
    return {};
}

class Matcher {
public:
    Matcher(const TensorLayout& layout, const io::SafetensorsFile& file) : layout_(layout), file_(file) {
        filePrefixed_ = std::ranges::any_of(
            file.names(), [&](const std::string& name) { return name.starts_with(layout.bodyPrefix); });
        for (const TensorSlot& slot : layout.slots) {
            if (!slot.optionalGroup.empty() && anyPresent(slot)) presentGroups_.insert(slot.optionalGroup);
        }
    }

    Result<TensorMatch> match() && {
        for (const TensorSlot& slot : layout_.slots) {
            if (!slot.optionalGroup.empty() && !presentGroups_.contains(slot.optionalGroup)) continue;
            matchSlot(slot);
            if (!slot.shared && !countParameters(slot)) {
                return fail(
                    fmt::format("{}: the configuration implies a tensor {} of shape {}: too large to count",
                                file_.path().string(), reportedName(slot), io::shapeText(slot.shape)));
            }
        }
        for (const std::string& name : file_.names()) {
            if (known_.contains(name)) match_.report.used.push_back(name);
            else if (!ignored(name)) match_.report.unexpected.push_back(name);
        }
        return std::move(match_);
    }

private:
    // The file's name for a canonical one, whichever spelling it uses; empty when it has none.
    std::string present(const std::string& name) const {
        for (const std::string& spelling : {name, withoutPrefix(name)}) {
            if (spelling.empty()) continue;
            if (file_.find(spelling)) return spelling;
            const std::string old = oldNormName(spelling);
            if (!old.empty() && file_.find(old)) return old;
        }
        return {};
    }

    bool anyPresent(const TensorSlot& slot) const {
        return std::ranges::any_of(slot.names,
                                   [&](const std::string& name) { return !present(name).empty(); });
    }

    std::string withoutPrefix(const std::string& name) const {
        return name.starts_with(layout_.bodyPrefix) ? name.substr(layout_.bodyPrefix.size()) : std::string();
    }

    std::string reportedName(const TensorSlot& slot) const {
        const std::string& name = slot.missingAs.empty() ? slot.names.front() : slot.missingAs;
        const std::string bare = withoutPrefix(name);
        return filePrefixed_ || bare.empty() ? name : bare;
    }

    void matchSlot(const TensorSlot& slot) {
        std::string chosen;
        for (const std::string& name : slot.names) {
            const std::string found = present(name);
            if (found.empty()) continue;
            known_.insert(found);
            if (chosen.empty()) chosen = found;
        }
        // The tied twin is reported once, by the slot that owns the numbers.
        if (chosen.empty() && !slot.shared && !slot.idle) match_.report.missing.push_back(reportedName(slot));
        if (chosen.empty()) return;
        match_.nameOfRole[slot.role] = chosen;
        const io::ArrayView* view = file_.find(chosen);
        if (view->shape == slot.shape || !reported_.insert(chosen).second) return;
        match_.report.mismatched.push_back({chosen, slot.shape, view->shape});
    }

    bool countParameters(const TensorSlot& slot) {
        std::uint64_t elements = 1;
        for (const std::size_t extent : slot.shape) {
            if (__builtin_mul_overflow(elements, extent, &elements)) return false;
        }
        return !__builtin_add_overflow(match_.parameters, elements, &match_.parameters);
    }

    bool ignored(const std::string& name) const {
        return std::ranges::any_of(layout_.ignored,
                                   [&](const std::string& pattern) { return matchesGlob(pattern, name); });
    }

    const TensorLayout& layout_;
    const io::SafetensorsFile& file_;
    bool filePrefixed_ = false;
    std::set<std::string> presentGroups_;
    std::unordered_set<std::string> known_;
    std::unordered_set<std::string> reported_;
    TensorMatch match_;
};

}  // namespace

TensorLayout layoutOf(const TransformerSettings& settings) {
    const ModelFamily* family = findFamily(settings.modelType);
    require(family != nullptr, "settings are of a known family");
    return family->layout(settings);
}

Result<TensorMatch> matchTensors(const TensorLayout& layout, const io::SafetensorsFile& file) {
    return Matcher(layout, file).match();
}

}  // namespace fovea::model
