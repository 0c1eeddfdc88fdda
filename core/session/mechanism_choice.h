// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/entmax.h"
#include "core/mechanism/mixture.h"
#include "core/mechanism/moments.h"
#include "core/support/result.h"

namespace fovea::session {

enum class Domain { Discrete, Continuous, Mixture };

/// The mechanism of one panel.
struct MechanismChoice {
    Domain domain = Domain::Discrete;
    /// The weights: shown as they are (discrete), or the base that gives mean and variance
    /// (continuous, mixture). The model's own softmax unless changed.
    EntmaxParameters weights;
    /// The density over the text or picture, or of each component (continuous, mixture).
    DensityParameters density{2.0, 1.0};
    MomentMatching matching = MomentMatching::Moments;
    VarianceFloor floor = VarianceFloor::Cell;
    MixtureOptions mixture;  ///< mixture only
    /// `weights` replaces softmax inside the model, at every site, instead of acting on recorded scores.
    bool insideModel = false;

    bool operator==(const MechanismChoice&) const = default;
};

/// True when a density is shown: continuous or mixture.
bool hasDensity(const MechanismChoice& choice);

/// The parameters that the panel's sliders drive: `weights` or `density`.
double sliderAlpha(const MechanismChoice& choice);
double sliderTemperature(const MechanismChoice& choice);
void setSliderAlpha(MechanismChoice& choice, double alpha);
void setSliderTemperature(MechanismChoice& choice, double temperature);

/// The choice when every number is in its domain.
Result<MechanismChoice> checked(MechanismChoice choice);

/// The chip of a panel: "softmax", "1.5-entmax · T 0.80 · inside the model",
/// "continuous · truncated parabola · α 2.00 · T 1.00 · on softmax weights",
/// "mixture of 3 · Gaussian · α 1.00 · ...", "mixture chosen by bic, at most 4 · ...". Over a picture the
/// density of α 2 is a truncated paraboloid. UTF-8.
std::string mechanismText(const MechanismChoice& choice, bool overPicture = false);

}  // namespace fovea::session
