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

/// Whether the bytes of a picture are all there, for the formats whose decoders fill what is missing with
/// grey instead of failing: JPEG (`format` "jpeg": does the end marker come?), BMP ("bmp": are there as many
/// bytes as the header says?) and GIF ("gif": does the first frame end?). The file's place stays. Cost: one
/// pass over the file.
Result<void> checkPictureEnd(QFileDevice& file, const QByteArray& format);

}  // namespace fovea::widgets
