// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fovea::text {

/// Finds entries of an array, which its owner keeps, by their hash: a slot holds an entry's index and half of
/// its hash, so that most entries that differ are never looked at. Open addressing, linear probing, a power
/// of two of slots of which at most half are taken. At most 2^31 entries.
class SlotTable {
public:
    /// Room for so many entries, which then are added without moving others.
    void reserve(std::size_t entries) {
        std::size_t slots = kFewest;
        while (slots < 2 * entries) slots *= 2;
        if (slots > slots_.size()) resize(slots);
    }

    /// An entry that is not there yet.
    void add(std::uint64_t hash, std::uint32_t index) {
        if (2 * (taken_ + 1) > slots_.size()) resize(slots_.empty() ? kFewest : 2 * slots_.size());
        put({tagOf(hash), index});
        ++taken_;
    }

    /// Index of the entry of this hash for which `same(index)` holds; nullptr when there is none.
    template <class Same>
    std::uint32_t* find(std::uint64_t hash, Same same) {
        if (slots_.empty()) return nullptr;
        const std::uint32_t tag = tagOf(hash);
        for (std::size_t at = tag & (slots_.size() - 1); slots_[at].index != kFree; at = after(at)) {
            if (slots_[at].tag == tag && same(slots_[at].index)) return &slots_[at].index;
        }
        return nullptr;
    }
    template <class Same>
    const std::uint32_t* find(std::uint64_t hash, Same same) const {
        return const_cast<SlotTable*>(this)->find(hash, same);
    }

private:
    static constexpr std::uint32_t kFree = UINT32_MAX;
    static constexpr std::size_t kFewest = 16;
    struct Slot {
        std::uint32_t tag = 0;
        std::uint32_t index = kFree;
    };

    static std::uint32_t tagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    std::size_t after(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }
    void put(Slot slot) {
        std::size_t at = slot.tag & (slots_.size() - 1);
        while (slots_[at].index != kFree) at = after(at);
        slots_[at] = slot;
    }
    void resize(std::size_t size) {
        const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(size));
        for (const Slot& slot : before) {
            if (slot.index != kFree) put(slot);
        }
    }

    std::vector<Slot> slots_;
    std::size_t taken_ = 0;
};

/// Hash of a whole number; its upper bits depend on all bits of the number.
inline std::uint64_t hashOf(std::uint64_t number) {
    number = (number ^ (number >> 32)) * 0x9E3779B97F4A7C15u;
    return (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9u;
}

}  // namespace fovea::text
