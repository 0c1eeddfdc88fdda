// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/mechanism/continuous_2d.h"
#include "core/mechanism/edge_mass.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

/// Where a line x = const or y = const stands for a density, seen from its centre.
class Lines {
public:
    Lines(const ScaleMatrix& shape, const Eigen::Vector2d& mean, const RadialMass& mass)
        : shape_(shape), mean_(mean), mass_(mass) {}

    /// The mass beyond the part `from`..`to` of the line where coordinate `axis` is `at`.
    double beyond(int axis, double at, double from, double to) const {
        const double offset = fromCentre(axis, at);
        if (!mass_.reaches(offset / shape_.extent(axis))) return 0;
        const auto low = shape_.whitened(axis, offset, fromCentre(1 - axis, from));
        const auto high = shape_.whitened(axis, offset, fromCentre(1 - axis, to));
        return mass_.beyond(low.across, low.along, high.along);
    }

private:
    /// A place exactly at the centre counts as a little beyond it, for every line that meets there.
    double fromCentre(int axis, double at) const {
        const double offset = at - mean_(axis);
        return offset == 0 ? 1e-20 * shape_.extent(axis) : offset;
    }

    const ScaleMatrix& shape_;
    const Eigen::Vector2d& mean_;
    const RadialMass& mass_;
};

/// As `Lines` has it: an end at the value counts as above it.
bool between(double low, double value, double high) {
    return low < value && value <= high;
}

}  // namespace

RadialMass Density2d::radialMass() const {
    if (family_ == Family::Gaussian) return RadialMass::gaussian();
    if (family_ == Family::HeavyTailed) return RadialMass::studentT(*degreesOfFreedom());
    return RadialMass::beta(exponent_);
}

double Density2d::massOutsideUnit() const {
    const RadialMass mass = radialMass();
    const Lines lines(shape_, mean_, mass);
    const bool inside = between(0, mean_.x(), 1) && between(0, mean_.y(), 1);
    // From inside every edge has its share of the mass beyond it; from outside they leave 1 - P.
    const double sum = lines.beyond(0, 1, 0, 1) - lines.beyond(0, 0, 0, 1) + lines.beyond(1, 1, 0, 1) -
                       lines.beyond(1, 0, 0, 1);
    return std::clamp((inside ? 0.0 : 1.0) + sum, 0.0, 1.0);
}

double Density2d::massIn(double left, double top, double right, double bottom) const {
    require(left <= right && top <= bottom, "a rectangle with its corners in order");
    const RadialMass mass = radialMass();
    const Lines lines(shape_, mean_, mass);
    const bool inside = between(left, mean_.x(), right) && between(top, mean_.y(), bottom);
    const double beyond = lines.beyond(0, right, top, bottom) - lines.beyond(0, left, top, bottom) +
                          lines.beyond(1, bottom, left, right) - lines.beyond(1, top, left, right);
    return std::clamp((inside ? 1.0 : 0.0) - beyond, 0.0, 1.0);
}

std::vector<double> Density2d::massOfCells(std::size_t rows, std::size_t columns) const {
    require(rows > 0 && columns > 0, "a grid with cells");
    const RadialMass mass = radialMass();
    const Lines lines(shape_, mean_, mass);
    const auto place = [](std::size_t i, std::size_t count) {
        return static_cast<double>(i) / static_cast<double>(count);
    };
    std::vector<double> cells(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        const double top = place(r, rows);
        const double bottom = place(r + 1, rows);
        double left = lines.beyond(0, 0, top, bottom);
        for (std::size_t c = 0; c < columns; ++c) {
            const double right = lines.beyond(0, place(c + 1, columns), top, bottom);
            const bool inside = between(place(c, columns), mean_.x(), place(c + 1, columns)) &&
                                between(top, mean_.y(), bottom);
            cells[r * columns + c] = (inside ? 1.0 : 0.0) - (right - left);
            left = right;
        }
    }
    for (std::size_t c = 0; c < columns; ++c) {
        double above = lines.beyond(1, 0, place(c, columns), place(c + 1, columns));
        for (std::size_t r = 0; r < rows; ++r) {
            const double below =
                lines.beyond(1, place(r + 1, rows), place(c, columns), place(c + 1, columns));
            double& cell = cells[r * columns + c];
            cell = std::max(cell - (below - above), 0.0);
            above = below;
        }
    }
    return cells;
}

}  // namespace fovea
