// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/collage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/core/training/small_task.h"

namespace fovea::test {
namespace {

using namespace training;

CollageSettings settings() {
    CollageSettings settings;
    settings.side = 112;
    settings.fewestKinds = 1;
    settings.mostKinds = 4;
    settings.fewestPieces = 1;
    settings.mostPieces = 3;
    settings.jitter = 3;
    settings.dimmest = 180;
    settings.threshold = 20;
    settings.backgroundCell = 14;
    settings.lightestBackground = 90;
    settings.noise = 8;
    return settings;
}

const GarmentSet& garments() {
    static const GarmentSet set = barredGarments(6, 5);
    return set;
}

Collage collageAt(const CollageSettings& settings, std::uint64_t index) {
    return makeCollage(settings, garments(), RandomStream(1, 2, index));
}

std::uint64_t fingerprint(const std::vector<std::uint8_t>& bytes) {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
    return hash;
}

/// Published values of the generator for the seed 1234567.
TEST(RandomStream, gives_the_published_numbers) {
    RandomStream random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317u);
    EXPECT_EQ(random.next(), 3203168211198807973u);
    EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(RandomStream, keeps_to_its_ranges_and_reaches_their_ends) {
    RandomStream random(3);
    std::set<int> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(random.between(-2, 3));
    EXPECT_EQ(seen, (std::set<int>{-2, -1, 0, 1, 2, 3}));
}

TEST(RandomStream, gives_normal_numbers_of_mean_zero_and_variance_one) {
    RandomStream random(5);
    constexpr int count = 40000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
        const double value = random.normal();
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum / count, 0, 0.02);
    EXPECT_NEAR(squares / count, 1, 0.04);
}

TEST(Collage, is_the_same_again_and_another_for_another_index) {
    const Collage first = collageAt(settings(), 11);
    const Collage again = collageAt(settings(), 11);
    EXPECT_EQ(first.pixels, again.pixels);
    EXPECT_EQ(first.placements, again.placements);
    EXPECT_NE(first.pixels, collageAt(settings(), 12).pixels);
}

/// All is whole numbers, so a picture is one to the bit whatever compiler and processor.
TEST(Collage, is_the_same_on_every_machine) {
    EXPECT_EQ(fingerprint(collageAt(settings(), 11).pixels), 11569989109044738077u);
}

TEST(Collage, has_as_many_kinds_and_pieces_as_the_settings_say) {
    std::set<std::size_t> kindCounts, pieceCounts;
    for (std::uint64_t index = 0; index < 300; ++index) {
        std::map<std::size_t, std::size_t> pieces;
        for (const Placement& placement : collageAt(settings(), index).placements) ++pieces[placement.kind];
        kindCounts.insert(pieces.size());
        for (const auto& [kind, count] : pieces) {
            EXPECT_LT(kind, garments().kinds());
            pieceCounts.insert(count);
        }
    }
    EXPECT_EQ(kindCounts, (std::set<std::size_t>{1, 2, 3, 4}));
    EXPECT_EQ(pieceCounts, (std::set<std::size_t>{1, 2, 3}));
}

TEST(Collage, labels_what_was_placed_and_nothing_else) {
    for (std::uint64_t index = 0; index < 50; ++index) {
        const Collage collage = collageAt(settings(), index);
        const std::vector<bool> presence = collage.presence(garments().kinds());
        for (std::size_t kind = 0; kind < presence.size(); ++kind) {
            EXPECT_EQ(presence[kind], std::ranges::count(collage.placements, kind, &Placement::kind) > 0);
        }
    }
}

TEST(Collage, places_every_garment_inside_and_near_a_cell_of_its_own) {
    const CollageSettings used = settings();
    for (std::uint64_t index = 0; index < 100; ++index) {
        std::set<std::pair<int, int>> cells;
        const Collage collage = collageAt(used, index);
        for (const Placement& placement : collage.placements) {
            EXPECT_GE(std::min(placement.row, placement.column), 0);
            EXPECT_LE(std::max(placement.row, placement.column) + 28, used.side);
            const std::pair cell((placement.row + 14) / 28, (placement.column + 14) / 28);
            EXPECT_LE(std::abs(placement.row - 28 * cell.first), used.jitter);
            EXPECT_LE(std::abs(placement.column - 28 * cell.second), used.jitter);
            cells.insert(cell);
        }
        EXPECT_EQ(cells.size(), collage.placements.size());
    }
}

TEST(Collage, shows_the_garments_where_it_says) {
    CollageSettings plain = settings();
    plain.jitter = 0;
    plain.dimmest = 256;
    plain.lightestBackground = 0;
    plain.noise = 0;
    const Collage collage = collageAt(plain, 4);
    std::vector<std::uint8_t> expected(collage.pixels.size(), 0);
    for (const Placement& placement : collage.placements) {
        const auto picture = garments().picture(placement.kind, placement.garment);
        for (int i = 0; i < 28 * 28; ++i) {
            const int place = (placement.row + i / 28) * plain.side + placement.column + i % 28;
            expected[static_cast<std::size_t>(place)] = picture[static_cast<std::size_t>(i)];
        }
    }
    EXPECT_EQ(collage.pixels, expected);
}

TEST(Collage, keeps_the_background_within_its_levels) {
    CollageSettings plain = settings();
    plain.noise = 0;
    plain.dimmest = plain.brightest = 0;  // garments at 0 are not pasted
    const Collage collage = collageAt(plain, 9);
    EXPECT_LE(*std::ranges::max_element(collage.pixels), plain.lightestBackground);
    EXPECT_GT(std::set(collage.pixels.begin(), collage.pixels.end()).size(), 20u);
}

TEST(Collage, has_a_background_whose_levels_need_not_divide_the_side) {
    for (const int cell : {1, 5, 13, 15, 111, 112}) {
        CollageSettings plain = settings();
        plain.backgroundCell = cell;
        plain.noise = 0;
        plain.dimmest = plain.brightest = 0;
        for (std::uint64_t index = 0; index < 20; ++index) {
            const Collage collage = collageAt(plain, index);
            EXPECT_LE(*std::ranges::max_element(collage.pixels), plain.lightestBackground) << cell;
        }
    }
}

TEST(Collage, has_noise_of_the_stated_deviation) {
    CollageSettings noisy = settings();
    noisy.dimmest = noisy.brightest = 0;
    noisy.lightestBackground = 90;
    CollageSettings plain = noisy;
    plain.noise = 0;
    double squares = 0;
    std::size_t count = 0;
    for (std::uint64_t index = 0; index < 5; ++index) {
        const Collage with = collageAt(noisy, index);
        const Collage without = collageAt(plain, index);
        for (std::size_t i = 0; i < with.pixels.size(); ++i) {
            if (without.pixels[i] < 40) continue;  // nothing is cut off there
            const double difference = double(with.pixels[i]) - without.pixels[i];
            squares += difference * difference;
            ++count;
        }
    }
    ASSERT_GT(count, 1000u);
    // Half a level less on each side, since noise is cut to whole levels towards zero.
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(count)), noisy.noise - 0.4, 0.2);
}

TEST(Collage, tells_the_kind_under_each_patch) {
    Collage collage;
    collage.placements = {{2, 0, 0, 0}, {5, 0, 28, 54}};
    const auto under = kindsUnderPatches(collage, 84, 28, 28, 9);
    EXPECT_EQ(under, (std::vector<std::size_t>{2, 9, 9, 9, 9, 5, 9, 9, 9}));
}

}  // namespace
}  // namespace fovea::test
