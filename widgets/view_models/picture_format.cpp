// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/picture_format.h"

#include <cctype>

#include "widgets/view_models/picture_faults.h"

namespace fovea::widgets {

QByteArray pictureFormatOf(const QByteArray& firstBytes) {
    const auto starts = [&](const char* bytes, qsizetype length) {
        return firstBytes.startsWith(QByteArray::fromRawData(bytes, length));
    };
    if (starts("\x89PNG\r\n\x1a\n", 8)) return "png";
    if (starts("\xff\xd8\xff", 3)) return "jpeg";
    if (starts("GIF87a", 6) || starts("GIF89a", 6)) return "gif";
    if (starts("RIFF", 4) && firstBytes.mid(8, 4) == "WEBP") return "webp";
    if (starts("BM", 2)) return "bmp";
    if (starts("II*\0", 4) || starts("MM\0*", 4)) return "tiff";
    if (firstBytes.size() < 3 || firstBytes[0] != 'P' || std::isspace(firstBytes[2]) == 0) return {};
    switch (firstBytes[1]) {
        case '1':
        case '4': return "pbm";
        case '2':
        case '5': return "pgm";
        case '3':
        case '6': return "ppm";
        default: return {};
    }
}

Result<void> checkPicture(QFileDevice& file, const QByteArray& format) {
    uchar* mapped = file.map(0, file.size());
    // A file that cannot be mapped is read by its decoder all the same.
    if (!mapped) return {};
    const auto fault = pictureFault({mapped, static_cast<std::size_t>(file.size())}, format.toStdString());
    file.unmap(mapped);
    return fault ? fail(*fault) : Result<void>();
}

}  // namespace fovea::widgets
