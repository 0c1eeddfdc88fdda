// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/tensor_layout.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "core/model/model_family.h"
#include "core/model/sentence_modules.h"
#include "core/support/precondition.h"
#include "core/trace/mechanism_plan.h"

namespace fovea::model {

namespace {

// What older files call a norm's weight and bias; empty for what is no norm.
std::string oldNormName(const TensorSlot& slot, const std::string& name) {
    if (!slot.role.contains("norm")) return {};
    for (const auto& [today, old] : {std::pair{".weight", ".gamma"}, std::pair{".bias", ".beta"}}) {
        if (name.ends_with(today)) return name.substr(0, name.size() - std::string_view(today).size()) + old;
    }
    return {};
}

class Matcher {
public:
    Matcher(const TensorLayout& layout, const io::TensorFiles& files) : layout_(layout), files_(files) {
        wrapper_ = wrapperOfAllNames();
        filePrefixed_ = std::ranges::any_of(files.names(), [&](const std::string& name) {
            return name.starts_with(wrapper_ + layout.bodyPrefix);
        });
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
                                files_.path().string(), reportedName(slot), io::shapeText(slot.shape)));
            }
        }
        for (const std::string& name : files_.names()) {
            if (known_.contains(name)) match_.report.used.push_back(name);
            else if (!ignored(name)) match_.report.unexpected.push_back(name);
        }
        return std::move(match_);
    }

private:
    // "module." where a parallel trainer wrapped the model: what stands in front of every name that is known,
    // looked for only when no name is known as it is.
    std::string wrapperOfAllNames() const {
        constexpr std::size_t few = 8;
        const auto first = layout_.slots.begin();
        const auto last = first + static_cast<std::ptrdiff_t>(std::min(few, layout_.slots.size()));
        if (std::any_of(first, last, [&](const TensorSlot& slot) { return anyPresent(slot); })) return {};
        for (auto slot = first; slot != last; ++slot) {
            for (const std::string& name : slot->names) {
                for (const std::string& spelling : spellings(*slot, name)) {
                    for (const std::string& found : files_.names()) {
                        if (found.ends_with("." + spelling))
                            return found.substr(0, found.size() - spelling.size());
                    }
                }
            }
        }
        return {};
    }

    // What files may call a tensor, the name of today first.
    std::vector<std::string> spellings(const TensorSlot& slot, const std::string& name) const {
        std::vector<std::string> all;
        for (const std::string& today : {name, withoutPrefix(name)}) {
            if (today.empty()) continue;
            all.push_back(today);
            if (std::string old = oldNormName(slot, today); !old.empty()) all.push_back(std::move(old));
        }
        return all;
    }

    // The file's name for a canonical one, whichever spelling it uses; empty when it has none.
    std::string present(const TensorSlot& slot, const std::string& name) const {
        for (const std::string& spelling : spellings(slot, name)) {
            if (files_.find(wrapper_ + spelling)) return wrapper_ + spelling;
        }
        return {};
    }

    bool anyPresent(const TensorSlot& slot) const {
        return std::ranges::any_of(slot.names,
                                   [&](const std::string& name) { return !present(slot, name).empty(); });
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
            const std::string found = present(slot, name);
            if (found.empty()) continue;
            known_.insert(found);
            if (chosen.empty()) chosen = found;
        }
        if (chosen.empty()) return addMissing(slot);
        match_.nameOfRole[slot.role] = chosen;
        if (slot.transposed) match_.transposed.insert(slot.role);
        const io::StoredTensor* tensor = files_.find(chosen);
        if (tensor->shape == slot.shape || !reported_.insert(chosen).second) return;
        match_.report.mismatched.push_back({chosen, slot.shape, tensor->shape});
    }

    // The tied twin is reported once, by the slot that owns the numbers.
    void addMissing(const TensorSlot& slot) {
        if (slot.shared || slot.idle) return;
        match_.report.missing.push_back(reportedName(slot));
        if (slot.ofHead) match_.report.missingOfHead.push_back(reportedName(slot));
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
    const io::TensorFiles& files_;
    std::string wrapper_;
    bool filePrefixed_ = false;
    std::set<std::string> presentGroups_;
    std::unordered_set<std::string> known_;
    std::unordered_set<std::string> reported_;
    TensorMatch match_;
};

// Roles that the body of a family cannot run without.
std::set<std::string> rolesOfBody(const ModelFamily& family, TransformerSettings settings) {
    settings.head = family.architectures.front().second;
    std::set<std::string> roles;
    for (TensorSlot& slot : family.layout(settings).slots) {
        if (slot.optionalGroup.empty() && !slot.idle && !slot.shared) roles.insert(std::move(slot.role));
    }
    return roles;
}

}  // namespace

TensorLayout layoutOf(const TransformerSettings& settings) {
    const ModelFamily* family = findFamily(settings.modelType);
    require(family != nullptr, "settings are of a known family");
    TensorLayout layout = family->layout(settings);
    if (settings.embedding) addEmbeddingLayers(*settings.embedding, layout);
    if (settings.head == family->architectures.front().second) return layout;
    const std::set<std::string> body = rolesOfBody(*family, settings);
    for (TensorSlot& slot : layout.slots) slot.ofHead = !body.contains(slot.role);
    return layout;
}

Result<TensorMatch> matchTensors(const TensorLayout& layout, const io::TensorFiles& files) {
    return Matcher(layout, files).match();
}

}  // namespace fovea::model
