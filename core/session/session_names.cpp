// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session_reader.h"

namespace fovea::session {

const EnumNames<Domain>& domainNames() {
    static const EnumNames<Domain> names{
        {"discrete", Domain::Discrete}, {"continuous", Domain::Continuous}, {"mixture", Domain::Mixture}};
    return names;
}

const EnumNames<View>& viewNames() {
    static const EnumNames<View> names{
        {"text", View::Text}, {"matrix", View::Matrix}, {"image", View::Image}, {"density", View::Density}};
    return names;
}

const EnumNames<ColourScale>& scaleNames() {
    static const EnumNames<ColourScale> names{{"linear", ColourScale::Linear},
                                              {"square-root", ColourScale::SquareRoot},
                                              {"log", ColourScale::Log},
                                              {"rank", ColourScale::Rank}};
    return names;
}

const EnumNames<HeatKind>& heatNames() {
    static const EnumNames<HeatKind> names{
        {"smooth", HeatKind::Smooth}, {"patches", HeatKind::Patches}, {"none", HeatKind::None}};
    return names;
}

const EnumNames<PictureFrame>& frameNames() {
    static const EnumNames<PictureFrame> names{{"original", PictureFrame::Original},
                                               {"as-seen", PictureFrame::AsSeen}};
    return names;
}

const EnumNames<QueryPooling>& poolingNames() {
    static const EnumNames<QueryPooling> names{
        {"mean", QueryPooling::Mean}, {"sum", QueryPooling::Sum}, {"max", QueryPooling::Max}};
    return names;
}

const EnumNames<MomentMatching>& matchingNames() {
    static const EnumNames<MomentMatching> names{{"moments", MomentMatching::Moments},
                                                 {"paper", MomentMatching::Paper}};
    return names;
}

const EnumNames<VarianceFloor>& floorNames() {
    static const EnumNames<VarianceFloor> names{
        {"cell", VarianceFloor::Cell}, {"clip", VarianceFloor::Clip}, {"none", VarianceFloor::None}};
    return names;
}

const EnumNames<ComponentChoice>& choiceNames() {
    static const EnumNames<ComponentChoice> names{{"fixed", ComponentChoice::Fixed},
                                                  {"dl", ComponentChoice::DescriptionLength},
                                                  {"bic", ComponentChoice::Bic}};
    return names;
}

}  // namespace fovea::session
