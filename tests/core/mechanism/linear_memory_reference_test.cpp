// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>

#include "core/mechanism/linear_memory_gradient.h"
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

RowMatrixD matrixOf(const json& rows) {
    RowMatrixD matrix(rows.size(), rows.empty() ? 0 : rows[0].size());
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
        matrix.row(i) = vectorOf(rows[static_cast<std::size_t>(i)]).transpose();
    return matrix;
}

void expectClose(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, const char* name) {
    ASSERT_EQ(found.rows(), expected.rows()) << name;
    ASSERT_EQ(found.cols(), expected.cols()) << name;
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-12 * scale) << name;
}

std::vector<json> memoryCases() {
    std::vector<json> cases;
    for (const auto& entry : test::referenceCases("cases", "C_final")) cases.push_back(entry);
    return cases;
}

MemoryInput inputOf(const json& entry) {
    MemoryInput input{matrixOf(entry["H"]), std::nullopt, {}};
    if (entry["gated"].get<bool>()) input.gate = MemoryGate{matrixOf(entry["W"]), vectorOf(entry["b"])};
    if (entry["recursion"].get<bool>()) {
        input.rates.decay = vectorOf(entry["a_t"]);
        input.rates.input = vectorOf(entry["b_t"]);
    }
    return input;
}

MemoryLookups lookupsOf(const json& entry) {
    return {matrixOf(entry["Q"]), entry["query_times"].get<std::vector<Eigen::Index>>()};
}

std::string nameOf(const json& entry) {
    return entry["n"].dump() + " tokens of width " + entry["k"].dump() + ", gated " + entry["gated"].dump() +
           ", recursion " + entry["recursion"].dump();
}

TEST(LinearMemoryReference, memories_lookups_and_weights_meet_the_exact_values) {
    const auto cases = memoryCases();
    if (cases.empty()) GTEST_SKIP() << "no reference of linear attention";
    for (const auto& entry : cases) {
        SCOPED_TRACE(nameOf(entry));
        const MemoryInput input = inputOf(entry);
        const MemoryLookups lookups = lookupsOf(entry);
        const RowMatrixD features = memoryFeatures(input.states, input.gate);
        expectClose(features, matrixOf(entry["F"]), "F");
        LinearMemory memory(features.cols());
        memory.append(features, input.rates);
        expectClose(memory.matrix(), matrixOf(entry["C_final"]), "C");
        const auto found = lookUp(input, lookups);
        ASSERT_TRUE(found) << found.error().message;
        expectClose(*found, matrixOf(entry["R"]), "R");
        expectClose(memoryTokenWeights(features, input.rates, lookups), matrixOf(entry["token_weights"]),
                    "weights");
        const double loss = found->cwiseProduct(matrixOf(entry["upstream_dL_dR"])).sum();
        EXPECT_NEAR(loss, number(entry["loss"]), 1e-12 * std::max(1.0, std::abs(number(entry["loss"]))));
    }
}

TEST(LinearMemoryReference, gradients_meet_the_exact_values_by_either_recovery) {
    for (const auto& entry : memoryCases()) {
        SCOPED_TRACE(nameOf(entry));
        for (const auto recovery :
             {MemoryRecovery::Automatic, MemoryRecovery::Inversion, MemoryRecovery::Checkpoints}) {
            const auto gradient = memoryGradient(inputOf(entry), lookupsOf(entry),
                                                 matrixOf(entry["upstream_dL_dR"]), recovery);
            ASSERT_TRUE(gradient) << gradient.error().message;
            expectClose(gradient->states, matrixOf(entry["dL_dH"]), "dH");
            expectClose(gradient->queries, matrixOf(entry["dL_dQ"]), "dQ");
            if (entry["gated"].get<bool>()) {
                expectClose(gradient->gateWeight, matrixOf(entry["dL_dW"]), "dW");
                expectClose(gradient->gateBias, vectorOf(entry["dL_db"]), "db");
            }
            if (!entry["recursion"].get<bool>()) continue;
            expectClose(gradient->decay, vectorOf(entry["dL_da"]), "da");
            expectClose(gradient->input, vectorOf(entry["dL_dbt"]), "dbt");
        }
    }
}

}  // namespace
}  // namespace fovea
