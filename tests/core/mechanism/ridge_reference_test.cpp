// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/mechanism/value_function.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;

Eigen::VectorXd vectorOf(const json& list) {
    Eigen::VectorXd vector(list.size());
    for (Eigen::Index i = 0; i < vector.size(); ++i) vector(i) = number(list[static_cast<std::size_t>(i)]);
    return vector;
}

Eigen::MatrixXd matrixOf(const json& rows) {
    Eigen::MatrixXd matrix(rows.size(), rows.empty() ? 0 : rows[0].size());
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
        matrix.row(i) = vectorOf(rows[static_cast<std::size_t>(i)]).transpose();
    return matrix;
}

/// A solve of the normal equations is good to about the condition of its system.
double toleranceOf(const json& entry) {
    return 50 * std::numeric_limits<double>::epsilon() * std::max(1.0, number(entry["condition"]));
}

template <class Found>
void expectClose(const Found& found, const Eigen::MatrixXd& expected, double tolerance, const char* name) {
    ASSERT_EQ(found.rows(), expected.rows()) << name;
    ASSERT_EQ(found.cols(), expected.cols()) << name;
    const double scale = expected.cwiseAbs().maxCoeff();
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance * scale) << name;
}

std::vector<RadialBasis1d> basesOnTheLine(const json& rows) {
    std::vector<RadialBasis1d> bases;
    for (const auto& row : rows) bases.push_back({number(row[0]), number(row[1])});
    return bases;
}

std::vector<RadialBasis2d> basesOnThePlane(const json& rows) {
    std::vector<RadialBasis2d> bases;
    for (const auto& row : rows) {
        Eigen::Matrix2d covariance;
        covariance << number(row[2]), number(row[3]), number(row[3]), number(row[4]);
        auto basis = RadialBasis2d::make({number(row[0]), number(row[1])}, covariance);
        EXPECT_TRUE(basis) << basis.error().message;
        bases.push_back(*basis);
    }
    return bases;
}

LatticePadding paddingOf(const json& entry) {
    return entry["padded"].get<bool>() ? LatticePadding::Zeros : LatticePadding::None;
}

Lattice<double> latticeOnTheLine(const json& entry) {
    const std::string kind = entry["position_kind"];
    const auto positions = kind == "paper"       ? Positions::Paper
                           : kind == "endpoints" ? Positions::Endpoints
                                                 : Positions::Midpoint;
    return textLattice(entry["L"].get<std::size_t>(), positions, paddingOf(entry));
}

Lattice<Eigen::Vector2d> latticeOnThePlane(const json& entry) {
    return gridLattice(entry["rows"].get<std::size_t>(), entry["cols"].get<std::size_t>(), paddingOf(entry));
}

template <class Basis>
void check(const json& entry, const std::vector<Basis>& bases, const Lattice<PlaceOf<Basis>>& lattice) {
    auto fit = fitRidge(lattice, bases, number(entry["ridge"]));
    ASSERT_TRUE(fit) << fit.error().message;
    const double tolerance = toleranceOf(entry);
    const auto function = ValueFunction<Basis>::fit(
        bases, std::make_shared<const RidgeRegression>(std::move(*fit)), matrixOf(entry["H"]));
    ASSERT_TRUE(function) << function.error().message;
    expectClose(function->coefficients(), matrixOf(entry["B"]), tolerance, "B");
    for (const auto& attention : entry["attention"]) {
        SCOPED_TRACE("alpha " + attention["alpha"].dump());
        const Eigen::VectorXd r = vectorOf(attention["r"]);
        expectClose(function->context(r), vectorOf(attention["context"]), tolerance, "context");
        if (attention.contains("token_weights"))
            expectClose(function->tokenWeights(r), vectorOf(attention["token_weights"]), tolerance,
                        "weights");
    }
    if constexpr (std::is_same_v<Basis, RadialBasis1d>) {
        if (!entry.contains("t")) return;
        const std::vector<double> places = test::numbers(entry["t"], 0);
        expectClose(function->at(places).transpose(), matrixOf(entry["V_at_t"]), tolerance, "V");
    }
}

TEST(ValueFunctionReference, places_are_those_of_the_reference) {
    const auto cases = test::referenceCases("cases", "ridge");
    for (const auto& entry : cases) {
        if (entry["dim"] != 1 || entry["positions"].is_null()) continue;
        SCOPED_TRACE(entry["id"].dump());
        const auto lattice = latticeOnTheLine(entry);
        auto expected = test::numbers(entry["positions"], 0);
        ASSERT_EQ(lattice.places.size(), expected.size());
        const auto first = entry["first_real"].get<std::size_t>();
        for (std::size_t l = 0; l < lattice.tokens; ++l)
            EXPECT_NEAR(lattice.places[l], expected[first + l], 1e-15);
        auto places = lattice.places;
        std::sort(places.begin(), places.end());
        for (std::size_t l = 0; l < places.size(); ++l) EXPECT_NEAR(places[l], expected[l], 1e-15);
    }
}

TEST(ValueFunctionReference, coefficients_contexts_and_weights_meet_the_exact_values) {
    const auto cases = test::referenceCases("cases", "ridge");
    if (cases.empty()) GTEST_SKIP() << "no ridge reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump());
        if (entry["dim"] == 1) {
            check(entry, basesOnTheLine(entry["rbf"]), latticeOnTheLine(entry));
        } else {
            check(entry, basesOnThePlane(entry["rbf"]), latticeOnThePlane(entry));
        }
    }
}

}  // namespace
}  // namespace fovea
