// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/mechanism_choice.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/session/document_state.h"

namespace fovea::session {
namespace {

MechanismChoice discrete(double alpha, double temperature) {
    MechanismChoice choice;
    choice.weights = {alpha, temperature};
    return choice;
}

TEST(MechanismText, names_the_discrete_mechanism_and_what_differs_from_the_plain_one) {
    EXPECT_EQ(mechanismText(discrete(1, 1)), "softmax");
    EXPECT_EQ(mechanismText(discrete(1, 0.8)), "softmax · T 0.80");
    EXPECT_EQ(mechanismText(discrete(2, 1)), "sparsemax");
    EXPECT_EQ(mechanismText(discrete(1.25, 1)), "1.25-entmax");
    EXPECT_EQ(mechanismText(discrete(1.5, 0)), "argmax");
    EXPECT_EQ(mechanismText(discrete(std::numeric_limits<double>::infinity(), 1)), "argmax");
    MechanismChoice inside = discrete(1.5, 0.8);
    inside.insideModel = true;
    EXPECT_EQ(mechanismText(inside), "1.5-entmax · T 0.80 · inside the model");
}

TEST(MechanismText, never_rounds_a_parameter_to_another) {
    EXPECT_EQ(mechanismText(discrete(1, 0.003)), "softmax · T 0.003");
    EXPECT_EQ(mechanismText(discrete(1.0001, 1)), "1.0001-entmax");
}

TEST(MechanismText, tells_the_density_and_its_base) {
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    EXPECT_EQ(mechanismText(choice),
              "continuous · truncated parabola · α 2.00 · T 1.00 · on softmax weights");
    choice.density.alpha = 1;
    choice.weights = {1.5, 0.5};
    EXPECT_EQ(mechanismText(choice),
              "continuous · Gaussian · α 1.00 · T 1.00 · on 1.5-entmax T 0.50 weights");
    choice.matching = MomentMatching::Paper;
    EXPECT_NE(mechanismText(choice).find("paper"), std::string::npos);
}

TEST(MechanismText, tells_the_mixture_and_knows_pictures) {
    MechanismChoice choice;
    choice.domain = Domain::Mixture;
    choice.mixture.components = 3;
    choice.density.alpha = 1;
    EXPECT_EQ(mechanismText(choice), "mixture of 3 · Gaussian · α 1.00 · T 1.00 · on softmax weights");
    choice.mixture.choice = ComponentChoice::Bic;
    choice.mixture.components = 4;
    EXPECT_EQ(mechanismText(choice).find("mixture chosen by bic, at most 4 · Gaussian"), 0U);
    choice.domain = Domain::Continuous;
    choice.density.alpha = 2;
    EXPECT_NE(mechanismText(choice, true).find("truncated paraboloid"), std::string::npos);
}

TEST(MechanismText, names_heavy_tails) {
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    choice.density.alpha = 0.8;
    EXPECT_NE(mechanismText(choice).find("Student's t · α 0.8"), std::string::npos) << mechanismText(choice);
}

TEST(MechanismChoice, mixture_is_driven_and_checked_as_a_density) {
    MechanismChoice choice;
    choice.domain = Domain::Mixture;
    setSliderAlpha(choice, 3);
    EXPECT_EQ(choice.density.alpha, 3);
    EXPECT_TRUE(hasDensity(choice));
    EXPECT_TRUE(checked(choice));
    for (const std::size_t count : {0, 9}) {
        choice.mixture.components = count;
        EXPECT_FALSE(checked(choice));
    }
    choice.mixture = {};
    choice.density.alpha = 0;
    EXPECT_FALSE(checked(choice));
}

TEST(MechanismChoice, sliders_drive_the_weights_or_the_density) {
    MechanismChoice choice;
    setSliderAlpha(choice, 1.75);
    setSliderTemperature(choice, 3);
    EXPECT_EQ(choice.weights, (EntmaxParameters{1.75, 3}));
    choice.domain = Domain::Continuous;
    setSliderAlpha(choice, 4);
    setSliderTemperature(choice, 0.5);
    EXPECT_EQ(choice.density, (DensityParameters{4, 0.5}));
    EXPECT_EQ(choice.weights, (EntmaxParameters{1.75, 3}));
    EXPECT_EQ(sliderAlpha(choice), 4);
    EXPECT_EQ(sliderTemperature(choice), 0.5);
}

TEST(MechanismChoice, numbers_out_of_their_domain_are_refused) {
    EXPECT_TRUE(checked(discrete(1, 0)));
    EXPECT_FALSE(checked(discrete(0.9, 1)));
    EXPECT_FALSE(checked(discrete(1, -0.1)));
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    EXPECT_TRUE(checked(choice));
    choice.density.temperature = 0;
    EXPECT_FALSE(checked(choice));
    choice.density = {std::numeric_limits<double>::quiet_NaN(), 1};
    EXPECT_FALSE(checked(choice));
}

TEST(Document, starts_with_softmax_beside_entmax) {
    const DocumentState document = initialDocument();
    ASSERT_EQ(document.panels.size(), 2U);
    EXPECT_EQ(mechanismText(document.panels[0].mechanism), "softmax");
    EXPECT_EQ(mechanismText(document.panels[1].mechanism), "1.5-entmax");
    EXPECT_LT(document.activePanel, document.panels.size());
    EXPECT_EQ(document, initialDocument());
}

}  // namespace
}  // namespace fovea::session
