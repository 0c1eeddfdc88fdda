// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/mechanism_editor.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QComboBox>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "widgets/views/labelled_slider.h"
#include "widgets/views/mark_slider.h"
#include "widgets/views/number_box.h"

namespace fovea::widgets {

namespace {

using session::Domain;
using session::MechanismChoice;

struct MechanismEditorTest : ::testing::Test {
    MechanismEditor editor;
    std::vector<MechanismChoice> said;

    MechanismEditorTest() {
        QObject::connect(&editor, &MechanismEditor::mechanismChanged, &editor,
                         [this](const MechanismChoice& mechanism) { said.push_back(mechanism); });
        editor.resize(260, 600);
        editor.show();
    }
    QAbstractButton* button(const QString& text) {
        for (auto* found : editor.findChildren<QAbstractButton*>()) {
            if (found->text() == text) return found;
        }
        return nullptr;
    }
};

TEST_F(MechanismEditorTest, showing_a_mechanism_says_nothing) {
    MechanismChoice mechanism;
    mechanism.domain = Domain::Continuous;
    mechanism.density = {1.5, 0.8};
    mechanism.weights = {2, 0.5};
    mechanism.matching = MomentMatching::Paper;
    mechanism.floor = VarianceFloor::None;
    mechanism.insideModel = true;
    editor.setMechanism(mechanism);
    editor.setMechanism({});
    EXPECT_TRUE(said.empty());
}

TEST_F(MechanismEditorTest, the_sliders_drive_weights_or_density_as_the_domain_is) {
    MechanismChoice mechanism;
    editor.setMechanism(mechanism);
    editor.alpha()->slider()->setValue(editor.alpha()->slider()->scale().positionOf(2));
    ASSERT_FALSE(said.empty());
    EXPECT_EQ(said.back().weights.alpha, 2);
    mechanism = said.back();
    mechanism.domain = Domain::Continuous;
    editor.setMechanism(mechanism);
    editor.temperature()->slider()->setValue(editor.temperature()->slider()->scale().positionOf(20));
    EXPECT_EQ(said.back().density.temperature, 20);
    EXPECT_EQ(said.back().weights, mechanism.weights);
}

TEST_F(MechanismEditorTest, a_click_on_the_domain_changes_it) {
    QTest::mouseClick(button(QStringLiteral("Continuous")), Qt::LeftButton);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.back().domain, Domain::Continuous);
}

TEST_F(MechanismEditorTest, a_mixture_has_components_and_a_way_to_choose_them) {
    auto* count = editor.findChild<QSpinBox*>();
    ASSERT_NE(count, nullptr);
    EXPECT_FALSE(count->isVisible());
    QTest::mouseClick(button(QStringLiteral("Mixture")), Qt::LeftButton);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.back().domain, Domain::Mixture);
    editor.setMechanism(said.back());
    EXPECT_TRUE(count->isVisible());
    count->setValue(3);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said.back().mixture.components, 3U);
    editor.setMechanism(said.back());
    EXPECT_EQ(said.size(), 2U) << "showing says nothing";
}

TEST_F(MechanismEditorTest, recorded_attention_cannot_be_acted_inside) {
    editor.setSubject(true, false);
    EXPECT_FALSE(button(QStringLiteral("inside the model"))->isEnabled());
    editor.setSubject(false, true);
    EXPECT_TRUE(button(QStringLiteral("inside the model"))->isEnabled());
}

TEST_F(MechanismEditorTest, inside_the_model_is_a_choice_of_its_own) {
    const QPoint mark(8, button(QStringLiteral("inside the model"))->height() / 2);
    QTest::mouseClick(button(QStringLiteral("inside the model")), Qt::LeftButton, {}, mark);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_TRUE(said.back().insideModel);
    QTest::mouseClick(button(QStringLiteral("on the recorded scores")), Qt::LeftButton, {}, mark);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_FALSE(said.back().insideModel);
}

TEST_F(MechanismEditorTest, every_control_is_named_for_screen_readers) {
    for (auto* child : editor.findChildren<QWidget*>()) {
        const bool control = qobject_cast<MarkSlider*>(child) || qobject_cast<QAbstractSpinBox*>(child) ||
                             qobject_cast<QComboBox*>(child);
        if (!control || child->objectName().startsWith(QLatin1String("qt_"))) continue;
        EXPECT_FALSE(child->accessibleName().isEmpty()) << child->metaObject()->className();
    }
}

}  // namespace

}  // namespace fovea::widgets
