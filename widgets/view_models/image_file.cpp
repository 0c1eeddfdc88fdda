// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/image_file.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <QFile>
#include <QImageReader>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "core/io/file_descriptor.h"
#include "core/io/message_text.h"
#include "widgets/view_models/picture_faults.h"
#include "widgets/view_models/picture_format.h"

namespace fovea::widgets {

namespace {

constexpr auto mostPixels = static_cast<qint64>(mostPicturePixels);
// Of four 16-bit channels, in MiB, and some room.
constexpr int allocationLimit = static_cast<int>(mostPixels * 8 / (1 << 20)) + 64;

struct Format {
    const char* name;  // as Qt calls it
    const char* ending;
};

constexpr std::array<Format, 12> formats{{{"png", ".png"},
                                          {"jpeg", ".jpg"},
                                          {"jpeg", ".jpeg"},
                                          {"webp", ".webp"},
                                          {"gif", ".gif"},
                                          {"bmp", ".bmp"},
                                          {"tiff", ".tif"},
                                          {"tiff", ".tiff"},
                                          {"ppm", ".ppm"},
                                          {"pgm", ".pgm"},
                                          {"pbm", ".pbm"},
                                          {"ppm", ".pnm"}}};

std::unexpected<Error> refuse(const std::filesystem::path& path, std::string_view why) {
    return fail(fmt::format("{}: {}", path.string(), why));
}

// Two bytes a channel: the upper one, as other programs take it.
void copyWideRow(const QImage& image, int row, std::uint8_t* out) {
    const auto* in = reinterpret_cast<const quint16*>(image.constScanLine(row));
    for (int x = 0; x < image.width(); ++x, in += 4) {
        for (int c = 0; c < 3; ++c) *out++ = static_cast<std::uint8_t>(in[c] >> 8);
    }
}

bool isWide(const QImage& image) {
    switch (image.format()) {
        case QImage::Format_RGBX64:
        case QImage::Format_RGBA64:
        case QImage::Format_RGBA64_Premultiplied:
        case QImage::Format_Grayscale16: return true;
        default: return false;
    }
}

// RGB whose alpha was dropped, not blended.
std::shared_ptr<const image::RgbImage> rgbOf(const QImage& decoded) {
    const bool wide = isWide(decoded);
    // By way of a format with alpha: a palette's own would be blended otherwise.
    const QImage plain =
        wide ? decoded.convertToFormat(QImage::Format_RGBA64)
             : decoded.convertToFormat(QImage::Format_RGBA8888).convertToFormat(QImage::Format_RGB888);
    if (plain.isNull()) return nullptr;
    auto rgb = std::make_shared<image::RgbImage>();
    rgb->width = static_cast<std::size_t>(plain.width());
    rgb->height = static_cast<std::size_t>(plain.height());
    const std::size_t rowBytes = rgb->width * 3;
    rgb->pixels.resize(rgb->height * rowBytes);
    for (int row = 0; row < plain.height(); ++row) {
        std::uint8_t* out = &rgb->pixels[static_cast<std::size_t>(row) * rowBytes];
        if (wide) copyWideRow(plain, row, out);
        else std::memcpy(out, plain.constScanLine(row), rowBytes);
    }
    return rgb;
}

std::string sizeSentence(const QSize& size) {
    return fmt::format("{} × {} = {} pixels, expected at most {}", size.width(), size.height(),
                       qint64{size.width()} * size.height(), mostPixels);
}

bool tooLarge(const QSize& size) {
    return qint64{size.width()} * size.height() > mostPixels;
}

// Decoders print on standard error what they make of broken files; our sentence says it once. One decoding
// at a time, since the stream belongs to the whole process.
class Silence {
public:
    Silence() : lock_(mutex_), kept_(dup(STDERR_FILENO)) {
        const int nowhere = kept_ < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere < 0) return;
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    ~Silence() {
        if (kept_ < 0) return;
        std::fflush(stderr);
        dup2(kept_, STDERR_FILENO);
        close(kept_);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

private:
    static inline std::mutex mutex_;
    std::lock_guard<std::mutex> lock_;
    int kept_;
};

QString noteOf(const QImageReader& reader, int frames) {
    if (frames > 1) return QStringLiteral("first of %1 frames").arg(frames);
    return reader.supportsAnimation() && frames == 0 ? QStringLiteral("first frame") : QString();
}

}  // namespace

Result<DecodedImage> decodeImage(const std::filesystem::path& path) {
    // Not by Qt: it would wait for a pipe's other end, and know no name that is not UTF-8.
    const auto opened = io::openForReading(path, io::PipesAllowed::No);
    if (!opened) return std::unexpected(opened.error());
    QFile file;
    if (!file.open(opened->descriptor.get(), QIODevice::ReadOnly))
        return refuse(path, file.errorString().toStdString());
    if (opened->size == 0) return refuse(path, "expected a picture, found an empty file");
    const Silence silence;
    const QByteArray format = pictureFormatOf(file.peek(pictureFormatBytes));
    if (format.isEmpty()) {
        const QByteArray start = file.peek(pictureFormatBytes);
        return refuse(path,
                      fmt::format("expected a picture (PNG, JPEG, WebP, GIF, BMP, TIFF), found another kind "
                                  "of file, which begins with \"{}\"",
                                  io::quotable(start.toStdString())));
    }
    if (!QImageReader::supportedImageFormats().contains(format)) {
        return refuse(
            path, fmt::format("this Qt has no plug-in for {} pictures (package qt6-image-formats-plugins)",
                              format.toUpper().toStdString()));
    }
    QImageReader::setAllocationLimit(allocationLimit);
    QImageReader reader(&file, format);
    reader.setAutoDetectImageFormat(false);
    reader.setAutoTransform(true);
    const QSize size = reader.size();
    if (tooLarge(size)) return refuse(path, sizeSentence(size));
    if (const auto whole = checkPicture(file, format); !whole) return refuse(path, whole.error().message);
    const int frames = reader.imageCount();
    const QImage decoded = reader.read();
    if (decoded.isNull()) {
        return refuse(path, fmt::format("the picture cannot be decoded, it may be cut short: {}",
                                        reader.errorString().toStdString()));
    }
    if (tooLarge(decoded.size())) return refuse(path, sizeSentence(decoded.size()));
    DecodedImage result{rgbOf(decoded), noteOf(reader, frames)};
    if (!result.image) return refuse(path, "there is not enough memory for this picture");
    return result;
}

QStringList imageEndings() {
    const QList<QByteArray> supported = QImageReader::supportedImageFormats();
    QStringList endings;
    for (const Format& format : formats) {
        if (supported.contains(QByteArray(format.name))) endings.append(QString::fromLatin1(format.ending));
    }
    return endings;
}

}  // namespace fovea::widgets
