// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fovea::widgets {

/// What the exception that is being handled means, in a sentence for the user: no memory, or a fault in the
/// program with the exception's own words. To be called in a `catch` block; never throws.
QString faultReason() noexcept;

}  // namespace fovea::widgets
