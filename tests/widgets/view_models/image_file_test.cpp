// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/image_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QBuffer>
#include <QImage>
#include <QImageReader>
#include <QImageWriter>
#include <algorithm>
#include <cmath>

#include "core/image/preprocess.h"
#include "core/io/files.h"
#include "core/io/safetensors.h"
#include "tests/support/broken_catalogue.h"
#include "tests/support/test_data.h"
#include "widgets/view_models/file_hash.h"

namespace fovea::widgets {
namespace {

namespace fs = std::filesystem;

QString qString(const fs::path& path) {
    return QString::fromStdString(path.string());
}

// Big-endian, as PNG and EXIF have it.
std::string bigEndian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
    return bytes;
}

std::uint32_t crcOf(const std::string& bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0U);
    }
    return ~crc;
}

std::string chunk(const std::string& type, const std::string& data) {
    return bigEndian(static_cast<std::uint32_t>(data.size())) + type + data + bigEndian(crcOf(type + data));
}

std::string pngHeaderOf(std::uint32_t width, std::uint32_t height) {
    std::string png("\x89PNG\r\n\x1a\n", 8);
    png += chunk("IHDR", bigEndian(width) + bigEndian(height) + std::string("\x08\x02\x00\x00\x00", 5));
    return png + chunk("IDAT", std::string("\x78\x9c\x03\x00\x00\x00\x00\x01", 8)) + chunk("IEND", "");
}

// Its corners are told apart: red, green, blue, white.
QImage corners(int width, int height, QImage::Format format = QImage::Format_RGB32) {
    QImage image(width, height, QImage::Format_RGB32);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const bool right = x * 2 >= width;
            const bool low = y * 2 >= height;
            image.setPixelColor(x, y, right ? (low ? Qt::white : Qt::green) : (low ? Qt::blue : Qt::red));
        }
    }
    return image.convertToFormat(format);
}

std::array<int, 3> pixel(const image::RgbImage& image, std::size_t row, std::size_t column) {
    const std::uint8_t* at = image.at(row, column);
    return {at[0], at[1], at[2]};
}

// Refused in one line that names the file.
testing::AssertionResult refused(const fs::path& path, const std::string& words = "") {
    const auto decoded = decodeImage(path);
    if (decoded) return testing::AssertionFailure() << path << " was decoded";
    const std::string& message = decoded.error().message;
    const bool named = message.find(path.filename().string()) != std::string::npos;
    const bool fits = message.find(words) != std::string::npos && message.find('\n') == std::string::npos;
    return named && fits ? testing::AssertionSuccess() : testing::AssertionFailure() << message;
}

class ImageFile : public testing::Test {
protected:
    std::string save(const std::string& name, const QImage& image, const char* format, int quality = -1) {
        EXPECT_TRUE(image.save(qString(folder / name), format, quality)) << name;
        return *io::readTextFile(folder / name);
    }
    test::TemporaryFolder folder;
};

TEST(BrokenFiles, of_pictures_each_have_their_sentence) {
    const auto read = [](const fs::path&, const fs::path& file) {
        const auto decoded = decodeImage(file);
        return decoded ? std::nullopt : std::optional(decoded.error().message);
    };
    for (const std::string& complaint : test::complaintsAbout(test::BrokenKind::Picture, read))
        ADD_FAILURE() << complaint;
}

TEST_F(ImageFile, mended_files_of_the_catalogue_are_read) {
    for (const test::BrokenFile& good : test::goodPictures()) {
        test::writeBytes(folder / good.defect, good.content);
        const auto decoded = decodeImage(folder / good.defect);
        EXPECT_TRUE(decoded) << decoded.error().message;
    }
}

TEST_F(ImageFile, every_case_is_the_models_input_as_the_reference_has_it) {
    const auto cases = test::foldersWith("images", "reference.safetensors");
    if (cases.empty()) GTEST_SKIP() << "no pictures among the test data";
    for (const fs::path& one : cases) {
        const auto settings = image::readPreprocessing(one, 1, 1);
        ASSERT_TRUE(settings) << settings.error().message;
        const auto reference = io::SafetensorsFile::open(one / "reference.safetensors");
        ASSERT_TRUE(reference) << reference.error().message;
        for (const std::string& name : (*reference)->names()) {
            const auto decoded = decodeImage(one.parent_path() / name);
            ASSERT_TRUE(decoded) << decoded.error().message;
            const auto picture = image::prepared(decoded->image, *settings, {}, 1);
            ASSERT_TRUE(picture) << picture.error().message;
            const auto expected = io::convertedArray<float>(*(*reference)->find(name), name);
            ASSERT_EQ(expected->shape,
                      (std::vector<std::size_t>{3, picture->seen.height, picture->seen.width}));
            const std::size_t count = expected->values.size() / 3;
            double worst = 0;
            for (std::size_t i = 0; i < expected->values.size(); ++i) {
                const double unit = settings->normalise ? settings->deviation[i / count] : 1;
                worst =
                    std::max(worst, std::abs(double{picture->pixelValues[i]} - expected->values[i]) * unit);
            }
            const bool lossy = QImageReader::imageFormat(qString(one.parent_path() / name)) == "jpeg";
            RecordProperty(one.filename().string() + " " + name, std::to_string(worst * 255));
            EXPECT_LE(worst * 255, lossy ? 4 : 1e-3) << one << " " << name;
        }
    }
}

TEST_F(ImageFile, formats_without_loss_give_the_pixels_that_were_written) {
    for (const char* format : {"png", "bmp", "ppm", "tiff", "webp"}) {
        if (!QImageWriter::supportedImageFormats().contains(format)) {
            std::cout << "no plug-in for " << format << '\n';
            continue;
        }
        save("picture", corners(13, 7), format, 100);
        const auto decoded = decodeImage(folder / "picture");
        ASSERT_TRUE(decoded) << format << decoded.error().message;
        EXPECT_EQ(decoded->image->width, 13U);
        EXPECT_EQ(decoded->image->height, 7U);
        if (format == std::string("webp")) continue;
        EXPECT_EQ(pixel(*decoded->image, 0, 0), (std::array{255, 0, 0})) << format;
        EXPECT_EQ(pixel(*decoded->image, 0, 12), (std::array{0, 255, 0})) << format;
        EXPECT_EQ(pixel(*decoded->image, 6, 0), (std::array{0, 0, 255})) << format;
        EXPECT_TRUE(decoded->note.isEmpty()) << decoded->note.toStdString();
    }
}

TEST_F(ImageFile, every_kind_of_pixel_becomes_rgb) {
    const QImage::Format kinds[] = {
        QImage::Format_Mono,   QImage::Format_Indexed8,    QImage::Format_Grayscale8, QImage::Format_RGB888,
        QImage::Format_ARGB32, QImage::Format_Grayscale16, QImage::Format_RGBA64};
    for (const QImage::Format kind : kinds) {
        save("picture.png", corners(12, 8, kind), "png");
        const auto decoded = decodeImage(folder / "picture.png");
        ASSERT_TRUE(decoded) << kind << decoded.error().message;
        EXPECT_EQ(pixel(*decoded->image, 7, 11), (std::array{255, 255, 255})) << kind;
        const auto corner = pixel(*decoded->image, 0, 0);
        EXPECT_GE(corner[0], corner[1]) << kind;
    }
}

TEST_F(ImageFile, alpha_is_dropped_and_not_blended) {
    QImage image(3, 2, QImage::Format_ARGB32);
    image.fill(qRgba(200, 100, 50, 10));
    save("alpha.png", image, "png");
    EXPECT_EQ(pixel(*decodeImage(folder / "alpha.png")->image, 1, 1), (std::array{200, 100, 50}));
    QImage palette(3, 2, QImage::Format_Indexed8);
    palette.setColorTable({qRgba(200, 100, 50, 10), qRgba(1, 2, 3, 255)});
    palette.fill(0);
    save("palette.png", palette, "png");
    EXPECT_EQ(pixel(*decodeImage(folder / "palette.png")->image, 1, 1), (std::array{200, 100, 50}));
}

TEST_F(ImageFile, one_pixel_is_a_picture) {
    save("one.png", corners(1, 1), "png");
    const auto decoded = decodeImage(folder / "one.png");
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->image->pixels.size(), 3U);
}

TEST_F(ImageFile, orientation_of_a_camera_is_applied) {
    const std::string jpeg = save("plain.jpg", corners(32, 16), "jpeg", 95);
    // EXIF with the one entry "orientation": 6, to be turned by 90 degrees clockwise.
    const std::string exif = std::string("Exif\0\0", 6) + "MM" + std::string("\0\x2a\0\0\0\x08", 6) +
                             std::string("\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0", 18);
    const auto length = static_cast<char>(exif.size() + 2);
    test::writeBytes(folder / "turned.jpg",
                     jpeg.substr(0, 2) + "\xff\xe1" + '\0' + length + exif + jpeg.substr(2));
    const auto decoded = decodeImage(folder / "turned.jpg");
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_EQ(decoded->image->width, 16U);
    ASSERT_EQ(decoded->image->height, 32U);
    // The lower left corner, blue, has come to the upper left.
    const auto corner = pixel(*decoded->image, 2, 2);
    EXPECT_GT(corner[2], 200);
    EXPECT_LT(corner[0], 60);
}

TEST_F(ImageFile, cmyk_photographs_have_their_colours) {
    const fs::path file = fs::path(FOVEA_SOURCE_DIR) / "tests/data/pictures/cmyk.jpg";
    const auto decoded = decodeImage(file);
    ASSERT_TRUE(decoded) << decoded.error().message;
    const auto corner = pixel(*decoded->image, 2, 2);
    EXPECT_GT(corner[0], 200);
    EXPECT_LT(corner[1], 60);
    EXPECT_LT(corner[2], 60);
}

TEST_F(ImageFile, first_frame_of_an_animation_is_said) {
    const fs::path file = fs::path(FOVEA_SOURCE_DIR) / "tests/data/pictures/three_frames.gif";
    const auto decoded = decodeImage(file);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->note, QStringLiteral("first of 3 frames"));
    EXPECT_EQ(pixel(*decoded->image, 2, 2), (std::array{255, 0, 0}));
}

TEST_F(ImageFile, enormous_pictures_are_refused_by_their_header) {
    test::writeBytes(folder / "huge.png", pngHeaderOf(20000, 20000));
    EXPECT_TRUE(refused(folder / "huge.png", "20000 × 20000 = 400000000 pixels, expected at most"));
    test::writeBytes(folder / "wide.png", pngHeaderOf(0x7FFFFFFF, 0x7FFFFFFF));
    EXPECT_TRUE(refused(folder / "wide.png"));
    test::writeBytes(folder / "none.png", pngHeaderOf(0, 5));
    EXPECT_TRUE(refused(folder / "none.png"));
}

TEST_F(ImageFile, pictures_that_are_cut_short_are_refused) {
    for (const char* format : {"png", "jpeg", "bmp", "ppm", "tiff", "webp"}) {
        if (!QImageWriter::supportedImageFormats().contains(format)) continue;
        const std::string whole = save("whole", corners(64, 48), format);
        for (const double share : {0.05, 0.3, 0.6, 0.9}) {
            const auto length = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
            test::writeBytes(folder / "cut", whole.substr(0, length));
            EXPECT_TRUE(refused(folder / "cut")) << format << " " << share;
        }
    }
    const std::string gif =
        *io::readTextFile(fs::path(FOVEA_SOURCE_DIR) / "tests/data/pictures/three_frames.gif");
    for (const std::size_t length : {8U, 30U, 60U}) {
        test::writeBytes(folder / "cut.gif", gif.substr(0, length));
        EXPECT_TRUE(refused(folder / "cut.gif")) << length;
    }
}

TEST_F(ImageFile, what_is_no_picture_is_refused) {
    EXPECT_TRUE(refused(folder / "none.png"));
    EXPECT_TRUE(refused(folder.path(), "a folder, expected a file"));
    EXPECT_TRUE(refused("/dev/zero", "a device or pipe"));
    // Nobody ever writes into it: waiting would be for ever.
    ASSERT_EQ(mkfifo((folder / "pipe.png").c_str(), 0600), 0);
    EXPECT_TRUE(refused(folder / "pipe.png", "a device or pipe"));
    EXPECT_FALSE(fileHash(folder / "pipe.png"));
    EXPECT_FALSE(fileHash("/dev/zero"));
    test::writeBytes(folder / "empty.png", "");
    EXPECT_TRUE(refused(folder / "empty.png", "empty"));
    test::writeBytes(folder / "text.png", "This is a text, whatever its name says.");
    EXPECT_TRUE(refused(folder / "text.png", "expected a picture"));
    test::writeBytes(folder / "drawing.svg",
                     "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>");
    EXPECT_TRUE(refused(folder / "drawing.svg", "expected a picture"));
}

TEST_F(ImageFile, any_byte_changed_is_a_picture_or_a_sentence) {
    for (const char* format : {"png", "jpeg", "bmp", "webp", "tiff"}) {
        if (!QImageWriter::supportedImageFormats().contains(format)) continue;
        const std::string whole = save("whole", corners(9, 6), format);
        const std::size_t step = whole.size() / 60 + 1;
        for (std::size_t place = 0; place < whole.size(); place += step) {
            std::string bytes = whole;
            bytes[place] = static_cast<char>(bytes[place] ^ 0xFF);
            test::writeBytes(folder / "changed", bytes);
            const auto decoded = decodeImage(folder / "changed");
            if (decoded) {
                EXPECT_EQ(decoded->image->pixels.size(), decoded->image->width * decoded->image->height * 3);
            }
        }
    }
}

TEST_F(ImageFile, endings_can_all_be_opened) {
    EXPECT_TRUE(imageEndings().contains(QStringLiteral(".png")));
    EXPECT_TRUE(imageEndings().contains(QStringLiteral(".jpg")));
    for (const QString& ending : imageEndings()) EXPECT_TRUE(ending.startsWith(QLatin1Char('.')));
}

}  // namespace
}  // namespace fovea::widgets
