// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/fault_reason.h"

#include <QCoreApplication>
#include <exception>
#include <new>
#include <stdexcept>

namespace fovea::widgets {

namespace {

QString translated(const char* sentence) { return QCoreApplication::translate("Faults", sentence); }

QString sentence() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return translated("There is not enough memory for this.");
    } catch (const std::length_error&) {
        return translated("There is not enough memory for this.");
    } catch (const std::exception& exception) {
        return translated("A fault in Fovea: %1").arg(QString::fromUtf8(exception.what()));
    } catch (...) {
        return translated("A fault in Fovea, of an unknown kind.");
    }
}

}  // namespace

QString faultReason() noexcept {
    try {
        return sentence();
    } catch (...) {
        // Not even for the sentence: this one lies in the program already.
        return QStringLiteral("There is not enough memory for this.");
    }
}

}  // namespace fovea::widgets
