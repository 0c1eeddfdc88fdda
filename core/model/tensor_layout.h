// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/io/tensor_files.h"
#include "core/model/transformer_settings.h"
#include "core/support/result.h"
#include "core/trace/model_info.h"

namespace fovea::model {

/// One weight that the forward pass asks for by its role ("layer.3.query.weight"), and what files
/// call it.
struct TensorSlot {
    std::string role;
    /// Names in order of preference; the first one that the file has is the weight.
    std::vector<std::string> names;
    std::vector<std::size_t> shape;
    /// Part of a group that may be absent as a whole; empty: required.
    std::string optionalGroup = {};
    /// The same numbers as another slot: not counted as parameters, never missing by itself.
    bool shared = false;
    /// No run needs it: counted as parameters, used where a file has it, never missing.
    bool idle = false;
    /// The file holds (columns, rows) where a dense layer wants (rows, columns); `shape` is the file's.
    bool transposed = false;
    /// Stands on the body: reported apart when it is missing. `layoutOf` finds out, by the family's body.
    bool ofHead = false;
    /// Name in the report when the file has none of `names`; empty: the first of them.
    std::string missingAs = {};
};

/// Every weight of an architecture.
struct TensorLayout {
    /// Files may have this in front of every name of the body, or not ("bert.").
    std::string bodyPrefix;
    std::vector<TensorSlot> slots;
    /// Globs of tensors that older files hold and nobody needs.
    std::vector<std::string> ignored;
};

/// A layout found in a file.
struct TensorMatch {
    LoadReport report;
    /// Role to the name in the file; roles of absent optional groups do not occur.
    std::map<std::string, std::string> nameOfRole;
    /// Roles whose weight the file holds as (columns, rows).
    std::set<std::string> transposed;
    /// Elements of all slots that are required or found; shared ones once.
    std::uint64_t parameters = 0;

    bool has(const std::string& role) const { return nameOfRole.contains(role); }
};

/// The tensors of a model with these settings; those that its family's body does without are marked as
/// the head's. Precondition: the settings come from `readSettings`.
TensorLayout layoutOf(const TransformerSettings& settings);

/// Looks every slot up in the files: with and without the body's prefix, behind whatever a wrapper put in
/// front of all names ("module."), and under what older files call a norm's weight and bias (gamma, beta).
/// Fails only when the sizes overflow. Cost O(slots + tensors).
Result<TensorMatch> matchTensors(const TensorLayout& layout, const io::TensorFiles& files);

}  // namespace fovea::model
