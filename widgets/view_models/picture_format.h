// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFileDevice>

#include "core/support/result.h"

namespace fovea::widgets {

/// Which kind of photograph a file is, by its first bytes, whatever its name; Qt's name of the format.
/// Empty for other files, also for kinds that Qt could draw (icons, drawings): their decoders are not
/// even asked.
QByteArray pictureFormatOf(const QByteArray& firstBytes);

/// Bytes of a file that tell its kind.
inline constexpr int pictureFormatBytes = 16;

/// Whether the file is put together as pictures of its format are (see picture_faults). Its place stays. The
/// error is a sentence without the file's name. Cost: one pass over the file.
Result<void> checkPicture(QFileDevice& file, const QByteArray& format);

}  // namespace fovea::widgets
