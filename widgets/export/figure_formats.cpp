// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export/figure_formats.h"

#include <QBuffer>
#include <QHashSeed>
#include <QImageWriter>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace fovea::widgets {

namespace {

constexpr double unitsPerInch = 96;
const QByteArray fixedDate = "D:20000101000000Z";
const QByteArray fixedTime = "2000-01-01T00:00:00";
constexpr double largestImage = 400e6;  // pixels

/// Qt writes fonts and images of a PDF in the order of hash tables.
class FixedHashOrder {
public:
    FixedHashOrder() { QHashSeed::setDeterministicGlobalSeed(); }
    ~FixedHashOrder() { QHashSeed::resetRandomGlobalSeed(); }
    FixedHashOrder(const FixedHashOrder&) = delete;
    FixedHashOrder& operator=(const FixedHashOrder&) = delete;
};

/// Adds `shift` to the places of all objects behind `from` in the table at the end of a PDF.
void shiftObjects(QByteArray& pdf, qsizetype from, qsizetype shift) {
    const qsizetype table = pdf.lastIndexOf("\nxref\n");
    const qsizetype end = pdf.lastIndexOf("trailer");
    constexpr qsizetype entry = 20;  // "0000000015 00000 n \n"
    const qsizetype first = pdf.indexOf('\n', table + 6) + 1;
    for (qsizetype at = first; table >= 0 && at + entry <= end; at += entry) {
        const qsizetype place = pdf.mid(at, 10).toLongLong();
        if (pdf[at + 17] != 'n' || place <= from) continue;
        pdf.replace(at, 10, QByteArray::number(place + shift).rightJustified(10, '0'));
    }
    const QByteArray key = "startxref\n";
    const qsizetype start = pdf.lastIndexOf(key) + key.size();
    qsizetype length = 0;
    while (start + length < pdf.size() && std::isdigit(static_cast<unsigned char>(pdf[start + length])))
        ++length;
    pdf.replace(start, length, QByteArray::number(pdf.mid(start, length).toLongLong() + shift));
}

/// Puts `fixedDate` in place of the date behind `key`, "/CreationDate (".
void fixDate(QByteArray& pdf, const QByteArray& key) {
    const qsizetype at = pdf.indexOf(key);
    if (at < 0) return;
    const qsizetype start = at + key.size();
    const qsizetype length = pdf.indexOf(')', start) - start;
    pdf.replace(start, length, fixedDate);
    if (length != fixedDate.size()) shiftObjects(pdf, start, fixedDate.size() - length);
}

/// Makes every hexadecimal digit behind `key` a 0, up to `end`.
void zeroDigits(QByteArray& pdf, const QByteArray& key, char end, qsizetype from) {
    const qsizetype found = pdf.indexOf(key, from);
    for (qsizetype at = found + key.size(); found >= 0 && at < pdf.size() && pdf[at] != end; ++at) {
        if (std::isxdigit(static_cast<unsigned char>(pdf[at]))) pdf[at] = '0';
    }
}

/// Writes `fixedTime` over the times of the metadata, whose length is counted elsewhere.
void fixMetadata(QByteArray& pdf) {
    for (const char* name : {"CreateDate", "ModifyDate", "MetadataDate"}) {
        const QByteArray key = QByteArray("xmp:") + name + "=\"";
        const qsizetype at = pdf.indexOf(key);
        const qsizetype start = at + key.size();
        const qsizetype length = pdf.indexOf('"', start) - start;
        if (at < 0 || length < fixedTime.size()) continue;
        pdf.replace(start, fixedTime.size(), fixedTime);
        // What is left is the zone: "Z" or "+01:00".
        for (qsizetype i = start + fixedTime.size(); i < start + length; ++i) {
            if (std::isdigit(static_cast<unsigned char>(pdf[i]))) pdf[i] = '0';
            if (pdf[i] == '-') pdf[i] = '+';
        }
    }
    zeroDigits(pdf, "xmpMM:DocumentID=\"uuid:", '"', 0);
}

/// Qt writes the time, in local time, and offers no way to set it; newer versions write it at several places
/// and add an identifier.
QByteArray withoutTimeAndChance(QByteArray pdf) {
    fixDate(pdf, "/CreationDate (");
    fixDate(pdf, "/ModDate (");
    fixMetadata(pdf);
    zeroDigits(pdf, "/ID [", ']', std::max<qsizetype>(0, pdf.lastIndexOf("trailer")));
    return pdf;
}

}  // namespace

QByteArray svgBytes(const FigureLayout& figure) {
    // The generator rounds the size to whole units: here thousandths of a millimetre.
    constexpr int resolution = 25400;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(resolution);
    generator.setSize((figure.size() * (resolution / unitsPerInch)).toSize());
    generator.setViewBox(QRectF(QPointF(0, 0), figure.size()));
    generator.setTitle(QStringLiteral("Attention"));
    generator.setDescription(QStringLiteral("Drawn by Fovea"));
    QPainter painter(&generator);
    figure.paint(painter);
    painter.end();
    // Whoever opens the file may lack the font.
    const QByteArray family = "font-family=\"Noto Sans";
    return QByteArray(buffer.data()).replace(family + '"', family + ", DejaVu Sans, sans-serif\"");
}

QByteArray pdfBytes(const FigureLayout& figure) {
    const FixedHashOrder fixed;
    constexpr int resolution = 1200;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setTitle(QStringLiteral("Attention"));
        writer.setCreator(QStringLiteral("Fovea"));
        writer.setResolution(resolution);
        const QSizeF points = figure.size() * (72 / unitsPerInch);
        writer.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        QPainter painter(&writer);
        painter.scale(resolution / unitsPerInch, resolution / unitsPerInch);
        figure.paint(painter);
    }
    return withoutTimeAndChance(buffer.data());
}

Result<QImage> figureImage(const FigureLayout& figure, int dpi) {
    const double scale = dpi / unitsPerInch;
    const double width = std::round(figure.size().width() * scale);
    const double height = std::round(figure.size().height() * scale);
    if (width * height > largestImage || std::max(width, height) > 32767) {
        return fail(
            fmt::format(
                "a picture of {:.0f} x {:.0f} pixels is too large: at most 400 megapixels and 32767 a "
                "side; ask for fewer dpi or a smaller width",
                width, height),
            ErrorKind::Usage);
    }
    QImage image(static_cast<int>(width), static_cast<int>(height), QImage::Format_RGB32);
    if (image.isNull()) return fail("not enough memory for the picture", ErrorKind::Output);
    const int dotsPerMetre = static_cast<int>(std::lround(dpi / 0.0254));
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(width / figure.size().width(), height / figure.size().height());
    figure.paint(painter);
    return image;
}

Result<QByteArray> pngBytes(const FigureLayout& figure, int dpi) {
    const auto image = figureImage(figure, dpi);
    if (!image) return std::unexpected(image.error());
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!QImageWriter(&buffer, "png").write(*image))
        return fail("the picture could not be encoded", ErrorKind::Output);
    return buffer.data();
}

}  // namespace fovea::widgets
