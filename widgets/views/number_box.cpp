// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/number_box.h"

namespace fovea::widgets {

NumberBox::NumberBox(QWidget* parent) : QDoubleSpinBox(parent) {
    setLocale(QLocale::c());
    setDecimals(6);
    setSingleStep(0.05);
    setKeyboardTracking(false);
    setAlignment(Qt::AlignRight);
}

QString NumberBox::textFromValue(double value) const {
    QString text = QString::number(value, 'f', decimals());
    const qsizetype shortest = text.indexOf(QLatin1Char('.')) + 3;
    while (text.size() > shortest && text.endsWith(QLatin1Char('0'))) text.chop(1);
    return text;
}

}  // namespace fovea::widgets
