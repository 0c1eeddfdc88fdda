// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/entmax_axis.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace fovea {

namespace {

/// What one of the arrays must be, beside the scores.
struct Companion {
    const char* name;
    const StridedLayout& layout;
    bool present;  ///< has memory
    bool written;
};

std::string companionFault(const Companion& array, const StridedLayout& scores, std::size_t count) {
    if (array.layout.shape != scores.shape) {
        return fmt::format("{} have shape {}, expected that of the scores, {}", array.name,
                           shapeOf(array.layout), shapeOf(scores));
    }
    if (const auto checked = checkedCount(array.layout, array.name); !checked) return checked.error().message;
    if (count > 0 && !array.present) return fmt::format("{} have no memory", array.name);
    for (std::size_t axis = 0; count > 0 && array.written && axis < scores.shape.size(); ++axis) {
        if (array.layout.strides[axis] == 0 && scores.shape[axis] > 1) {
            return fmt::format("{} have stride 0 along axis {} of length {}, where each element is written",
                               array.name, axis, scores.shape[axis]);
        }
    }
    return {};
}

/// The axis, once everything that is asked for fits together.
template <class T>
Result<std::size_t> checkedRequest(const StridedArray<const T>& scores, const EntmaxAlong& along,
                                   std::span<const Companion> companions) {
    if (const auto parameters = checked(along.parameters); !parameters)
        return fail(parameters.error().message);
    const auto count = checkedCount(scores.layout, "scores");
    if (!count) return fail(count.error().message);
    if (*count > 0 && !scores.first) return fail("scores have no memory");
    const auto axis = checkedAxis(along.axis, scores.layout);
    if (!axis) return axis;
    for (const Companion& companion : companions) {
        if (auto fault = companionFault(companion, scores.layout, *count); !fault.empty()) return fail(fault);
    }
    if (along.mask) {
        const Companion mask{"mask entries", along.mask->layout, along.mask->first != nullptr, false};
        if (auto fault = companionFault(mask, scores.layout, *count); !fault.empty()) return fail(fault);
    }
    return axis;
}

std::string rowCountFault(std::size_t found, std::size_t rows, const char* name) {
    if (found == 0 || found == rows) return {};
    return fmt::format("{} for {} rows asked for, the scores have {}", name, found, rows);
}

// By index, since a pointer one stride behind the last element may be no pointer into the array.
template <class T>
void gather(const T* from, std::ptrdiff_t stride, std::span<double> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = static_cast<double>(from[static_cast<std::ptrdiff_t>(i) * stride]);
    }
}

/// Rounds `row` to what T holds, writes it and keeps it.
template <class T>
void scatter(std::span<double> row, T* to, std::ptrdiff_t stride) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        T& place = to[static_cast<std::ptrdiff_t>(i) * stride];
        place = static_cast<T>(row[i]);
        row[i] = static_cast<double>(place);
    }
}

void hide(const bool* visible, std::ptrdiff_t stride, std::span<double> scores) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (visible[static_cast<std::ptrdiff_t>(i) * stride]) continue;
        scores[i] = -std::numeric_limits<double>::infinity();
    }
}

/// One row of each array at a time, as double.
template <class T>
class Rows {
public:
    Rows(const StridedArray<const T>& scores, const EntmaxAlong& along, std::size_t axis,
         std::vector<const StridedLayout*> layouts)
        : scores_(scores), along_(along), walk_(withMask(std::move(layouts), along), axis) {
        for (auto* buffer : {&scoreRow_, &weightRow_}) buffer->resize(walk_.length());
    }

    RowWalk& walk() { return walk_; }

    EntmaxRow solve() {
        gather(scores_.first + walk_.offset(0), walk_.stride(0), scoreRow_);
        if (along_.mask) {
            const std::size_t last = maskPlace_;
            hide(along_.mask->first + walk_.offset(last), walk_.stride(last), scoreRow_);
        }
        return entmax(std::span<const double>(scoreRow_), along_.parameters, std::span<double>(weightRow_),
                      workspace_);
    }

    std::span<double> weights() { return weightRow_; }
    EntmaxPoint<double> point() const { return {scoreRow_, weightRow_, along_.parameters}; }

private:
    std::vector<const StridedLayout*> withMask(std::vector<const StridedLayout*> layouts,
                                               const EntmaxAlong& along) {
        maskPlace_ = layouts.size();
        if (along.mask) layouts.push_back(&along.mask->layout);
        return layouts;
    }

    const StridedArray<const T>& scores_;
    const EntmaxAlong& along_;
    std::size_t maskPlace_ = 0;
    RowWalk walk_;
    std::vector<double> scoreRow_;
    std::vector<double> weightRow_;
    EntmaxWorkspace workspace_;
};

/// Rows without keys: nothing to read or to write.
EntmaxRow emptyRow() {
    EntmaxWorkspace workspace;
    return entmax(std::span<const double>(), {}, std::span<double>(), workspace);
}

}  // namespace

template <class T>
Result<RowCounts> entmaxAlongAxis(const StridedArray<const T>& scores, const EntmaxAlong& along,
                                  const StridedArray<T>& weights, std::span<EntmaxRow> solutions) {
    const Companion written{"weights", weights.layout, weights.first != nullptr, true};
    const auto axis = checkedRequest(scores, along, {&written, 1});
    if (!axis) return fail(axis.error().message);
    Rows<T> rows(scores, along, *axis, {&scores.layout, &weights.layout});
    RowWalk& walk = rows.walk();
    if (auto fault = rowCountFault(solutions.size(), walk.rows(), "solutions"); !fault.empty()) {
        return fail(fault);
    }
    RowCounts counts;
    if (walk.length() == 0) {
        std::fill(solutions.begin(), solutions.end(), emptyRow());
        counts.empty = walk.rows();
        return counts;
    }
    for (std::size_t row = 0; row < walk.rows(); ++row, walk.next()) {
        EntmaxRow solution = rows.solve();
        scatter(rows.weights(), weights.first + walk.offset(1), walk.stride(1));
        counts.add(solution.state);
        if (solutions.empty()) continue;
        if (!std::same_as<T, double> && solution.state == RowState::Ok) {
            double sum = 0;
            for (const double weight : rows.weights()) sum += weight;
            solution.residual = sum - 1;
        }
        solutions[row] = solution;
    }
    return counts;
}

template <class T>
Result<RowCounts> entmaxGradientAlongAxis(const StridedArray<const T>& scores, const EntmaxAlong& along,
                                          const StridedArray<const T>& upstream,
                                          const StridedArray<T>& gradient,
                                          std::span<EntmaxParameterGradient> parameterGradients) {
    const Companion companions[] = {
        {"upstream derivatives", upstream.layout, upstream.first != nullptr, false},
        {"gradients", gradient.layout, gradient.first != nullptr, true}};
    const auto axis = checkedRequest(scores, along, companions);
    if (!axis) return fail(axis.error().message);
    Rows<T> rows(scores, along, *axis, {&scores.layout, &upstream.layout, &gradient.layout});
    RowWalk& walk = rows.walk();
    if (auto fault = rowCountFault(parameterGradients.size(), walk.rows(), "parameter gradients");
        !fault.empty()) {
        return fail(fault);
    }
    RowCounts counts;
    if (walk.length() == 0) {
        std::fill(parameterGradients.begin(), parameterGradients.end(), EntmaxParameterGradient{});
        counts.empty = walk.rows();
        return counts;
    }
    std::vector<double> upstreamRow(walk.length());
    std::vector<double> gradientRow(walk.length());
    for (std::size_t row = 0; row < walk.rows(); ++row, walk.next()) {
        counts.add(rows.solve().state);
        gather(upstream.first + walk.offset(1), walk.stride(1), upstreamRow);
        const auto byParameters = entmaxGradient(rows.point(), upstreamRow, gradientRow);
        scatter(std::span<double>(gradientRow), gradient.first + walk.offset(2), walk.stride(2));
        if (!parameterGradients.empty()) parameterGradients[row] = byParameters;
    }
    return counts;
}

template Result<RowCounts> entmaxAlongAxis(const StridedArray<const double>&, const EntmaxAlong&,
                                           const StridedArray<double>&, std::span<EntmaxRow>);
template Result<RowCounts> entmaxAlongAxis(const StridedArray<const float>&, const EntmaxAlong&,
                                           const StridedArray<float>&, std::span<EntmaxRow>);
template Result<RowCounts> entmaxAlongAxis(const StridedArray<const Half>&, const EntmaxAlong&,
                                           const StridedArray<Half>&, std::span<EntmaxRow>);
template Result<RowCounts> entmaxAlongAxis(const StridedArray<const BrainFloat>&, const EntmaxAlong&,
                                           const StridedArray<BrainFloat>&, std::span<EntmaxRow>);

template Result<RowCounts> entmaxGradientAlongAxis(const StridedArray<const double>&, const EntmaxAlong&,
                                                   const StridedArray<const double>&,
                                                   const StridedArray<double>&,
                                                   std::span<EntmaxParameterGradient>);
template Result<RowCounts> entmaxGradientAlongAxis(const StridedArray<const float>&, const EntmaxAlong&,
                                                   const StridedArray<const float>&,
                                                   const StridedArray<float>&,
                                                   std::span<EntmaxParameterGradient>);
template Result<RowCounts> entmaxGradientAlongAxis(const StridedArray<const Half>&, const EntmaxAlong&,
                                                   const StridedArray<const Half>&,
                                                   const StridedArray<Half>&,
                                                   std::span<EntmaxParameterGradient>);
template Result<RowCounts> entmaxGradientAlongAxis(const StridedArray<const BrainFloat>&, const EntmaxAlong&,
                                                   const StridedArray<const BrainFloat>&,
                                                   const StridedArray<BrainFloat>&,
                                                   std::span<EntmaxParameterGradient>);

}  // namespace fovea
