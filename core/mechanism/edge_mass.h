// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/mechanism: masses of plane densities whose level lines are circles.
namespace fovea {

/// A density on the plane that depends on the distance r to its centre alone, with the mass
/// P(r^2 > q) = (1 - q)_+^(e+1) (a beta-Gaussian on the unit disc, exponent e), exp(-q/2) (the
/// standard normal) or (1 + q/nu)^(-nu/2) (Student's t). Polygons follow from their edges: seen from the
/// centre, the mass beyond an edge is
///     (1/2pi) int P(r^2 > q(theta)) dtheta
/// over the angle that the edge covers, an integral in one variable of elementary functions.
class RadialMass {
public:
    static RadialMass gaussian();
    static RadialMass beta(double exponent);
    static RadialMass studentT(double degreesOfFreedom);

    /// The mass beyond the segment from `from` to `to` >= from on a line at the signed `distance` from the
    /// centre, both counted along the line from the foot of the perpendicular. Odd in `distance`;
    /// +0 counts as positive. Absolute error about 1e-15, relative about 1e-12. Cost: 8 to some
    /// hundred powers; none where the segment lies beyond the disc.
    double beyond(double distance, double from, double to) const;
    /// False where nothing lies beyond a line at this distance, or less than the smallest double.
    bool reaches(double distance) const;

private:
    struct Line;

    double tail(const Line& line, double s) const;
    double logFall(const Line& line, double from, double to) const;
    double reach(const Line& line, double from, double to) const;
    bool fits(const Line& line, double from, double to, double farness, double fall) const;
    double lastPanel(const Line& line, double from) const;
    double panels(const Line& line, double from, double to) const;
    double onOneSide(double distance, double from, double to) const;

    enum class Family { Gaussian, Beta, StudentT };
    Family family_ = Family::Gaussian;
    double power_ = 0;       // e + 1; nu/2
    int wholePower_ = 0;     // e + 1 where it is a small integer, else 0
    double reach_ = 38.7;    // the distance that all mass but less than the smallest double keeps to
};

}  // namespace fovea
