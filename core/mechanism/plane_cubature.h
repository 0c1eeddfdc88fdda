// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/mechanism/gauss_jacobi.h"
#include "core/mechanism/plane_problem.h"

// Private to core/mechanism and its tests.
namespace fovea {

/// (cos, sin) of the angles 2 pi m/count, m = 0..count-1: 2 pi itself is the angle 0 and not counted
/// again. `count` divides 192.
struct UnitVector {
    double cosine = 1, sine = 0;
};
std::vector<UnitVector> unitVectors(std::size_t count);

/// Expectations under beta-Gaussians of one exponent e; keeps the rules that it has used. Not to be used
/// from two threads at once.
class PlaneCubature {
public:
    explicit PlaneCubature(double exponent);

    /// By whichever of the two methods below suits; both errors are relative, about 1e-12 of the value and
    /// of the sum of the absolute parts of a derivative.
    PlaneTerms terms(const PlaneProblem& problem);
    /// The mean over ellipses q = u and angles: Gauss-Jacobi nodes u_k of the weight (1-u)^e, `angles`
    /// equally spaced. For basis functions that are not narrow beside the density (`polarSize` > 0).
    PlaneTerms polar(const PlaneProblem& problem, std::size_t nodes);
    /// One integral along y1 over another along y2, on the part of the ellipse that psi reaches: by
    /// Gauss-Jacobi rules with the exponent of the density at the ends that are the ellipse's. For all
    /// others, however narrow or far away; 0 where psi is below the smallest double on all of the ellipse.
    PlaneTerms windowed(const PlaneProblem& problem);
    /// The number of nodes of `polar` (half that of its angles) that the error needs; 0 where `windowed`
    /// is the better one.
    std::size_t polarSize(const PlaneProblem& problem) const;

private:
    struct Range;
    struct Region;

    static Range partOf(double centre, double unit, double from, double to);
    const QuadratureRule& rule(std::size_t nodes, bool inner, bool upperEnd, bool lowerEnd);
    Region regionOf(const PlaneProblem& problem) const;
    Region softRegion(const PlaneProblem& problem) const;
    Region sharpRegion(const PlaneProblem& problem) const;
    template <class Visit>
    void integrate(const Range& range, double centre, double unit, bool inner, Visit visit);
    void alongLine(const PlaneProblem& problem, const Region& region, double y1, double square, double weight,
                   PlaneTerms& sums);

    double exponent_;
    double innerBeta_ = 0;  // B(e+1, e+1)
    double outerBeta_ = 0;  // B(e+3/2, e+3/2)
    std::array<std::shared_ptr<const QuadratureRule>, 72> rules_;
    std::array<std::shared_ptr<const QuadratureRule>, 9> rings_;
    std::array<std::vector<UnitVector>, 9> angles_;
};

}  // namespace fovea
