// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/io/array_file.h"
#include "core/io/numpy.h"
#include "core/io/safetensors.h"
#include "tests/app/fovea_process.h"
#include "tests/support/near.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using Numbers = io::Array<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Numbers normalNumbers(std::vector<std::size_t> shape, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    Numbers numbers{std::move(shape), {}};
    numbers.values.resize(io::elementCount(numbers.shape));
    for (double& value : numbers.values) value = normal(engine);
    return numbers;
}

struct Expected {
    Numbers memory, features, found, weights;
};

/// The formulas, number by number.
Expected expectedOf(const Numbers& states, const Numbers* gateWeight, const Numbers* gateBias,
                    const Numbers* decay, const Numbers* input, const Numbers& query) {
    const std::size_t n = states.shape[0], k = states.shape[1], m = query.shape[0];
    Expected all{{{k, k}, std::vector<double>(k * k)}, states, {{m, k}, std::vector<double>(m * k)},
                 {{m, n}, std::vector<double>(m * n)}};
    std::vector<double>& f = all.features.values;
    for (std::size_t i = 0; gateWeight && i < n * k; ++i) {
        double u = gateBias->values[i % k];
        for (std::size_t j = 0; j < k; ++j)
            u += gateWeight->values[i % k * k + j] * states.values[i / k * k + j];
        f[i] = states.values[i] / (1 + std::exp(-u));
    }
    const auto a = [&](std::size_t t) { return decay ? decay->values[t] : 1; };
    const auto b = [&](std::size_t t) { return input ? input->values[t] : 1; };
    for (std::size_t t = 0; t < n; ++t) {
        for (std::size_t i = 0; i < k * k; ++i)
            all.memory.values[i] = a(t) * all.memory.values[i] + b(t) * f[t * k + i / k] * f[t * k + i % k];
    }
    for (std::size_t q = 0; q < m; ++q) {
        for (std::size_t s = 0; s < n; ++s) {
            double weight = b(s), product = 0;
            for (std::size_t r = s + 1; r < n; ++r) weight *= a(r);
            for (std::size_t j = 0; j < k; ++j) product += f[s * k + j] * query.values[q * k + j];
            all.weights.values[q * n + s] = weight * product;
            for (std::size_t j = 0; j < k; ++j)
                all.found.values[q * k + j] += weight * product * f[s * k + j];
        }
    }
    return all;
}

class MemoryCommand : public testing::Test {
protected:
    std::string write(const std::string& name, const Numbers& numbers) {
        const std::string path = folder / name;
        EXPECT_TRUE(io::writeNpy(path, numbers));
        return path;
    }
    ProgramResult memory(std::vector<std::string> options) {
        options.insert(options.begin(), {"memory", "-o", out});
        return fovea(options);
    }
    Numbers output(const char* name) {
        const auto file = io::readArrayFile(out);
        EXPECT_TRUE(file);
        const auto* array = file ? file->find(name) : nullptr;
        EXPECT_NE(array, nullptr) << name;
        if (!array) return {};
        EXPECT_EQ(array->numbers.type, io::ElementType::F64) << name;
        return *io::convertedArray<double>(array->numbers, name);
    }
    std::vector<std::string> outputNames() {
        std::vector<std::string> names;
        const auto file = io::readArrayFile(out);
        EXPECT_TRUE(file);
        for (const auto& array : file->arrays) names.push_back(array.name);
        return names;
    }
    void expectOutput(const Expected& expected) {
        EXPECT_TRUE(arraysNear(output("C"), expected.memory, 1e-12));
        EXPECT_TRUE(arraysNear(output("F"), expected.features, 1e-12));
        EXPECT_TRUE(arraysNear(output("R"), expected.found, 1e-12));
        EXPECT_TRUE(arraysNear(output("token_weights"), expected.weights, 1e-12));
    }

    TemporaryFolder folder;
    std::string out = folder / "out.npz";
};

TEST_F(MemoryCommand, remembers_and_looks_up_by_the_formulas) {
    const Numbers states = normalNumbers({20, 4}, 1), query = normalNumbers({3, 4}, 2);
    const auto json = jsonOf(
        memory({"--states", write("h.npy", states), "--query", write("q.npy", query), "--json"}));
    const Expected expected = expectedOf(states, nullptr, nullptr, nullptr, nullptr, query);
    expectOutput(expected);
    EXPECT_EQ(output("F").values, states.values);
    EXPECT_EQ(json["states"], 20);
    EXPECT_EQ(json["width"], 4);
    EXPECT_EQ(json["gated"], false);
    EXPECT_EQ(json["queries"], 3);
    double trace = 0;
    for (const double value : states.values) trace += value * value;
    EXPECT_NEAR(json["trace"].get<double>(), trace, 1e-12);
    EXPECT_GT(json["smallest_eigenvalue"], 0);
    EXPECT_LT(json["largest_eigenvalue"], trace);
    const Numbers weights = output("token_weights");
    for (std::size_t q = 0; q < 3; ++q) {
        const auto token = json["strongest_token"][q].get<std::size_t>();
        EXPECT_EQ(json["strongest_weight"][q], weights.values[q * 20 + token]);
        for (std::size_t s = 0; s < 20; ++s)
            EXPECT_LE(std::abs(weights.values[q * 20 + s]), std::abs(weights.values[q * 20 + token]));
    }
}

TEST_F(MemoryCommand, gates_decays_and_inputs_follow_the_general_recursion) {
    const Numbers states = normalNumbers({15, 3}, 3), query = normalNumbers({2, 3}, 4);
    const Numbers weight = normalNumbers({3, 3}, 5), bias = normalNumbers({3}, 6);
    Numbers decay = normalNumbers({15}, 7);
    decay.values[4] = 0;
    const Numbers input = normalNumbers({15}, 8);
    const auto json = jsonOf(memory({"--states", write("h.npy", states), "--query", write("q.npy", query),
                                     "--gate-weight", write("w.npy", weight), "--gate-bias",
                                     write("b.npy", bias), "--decay", write("a.npy", decay), "--input",
                                     write("i.npy", input), "--json"}));
    EXPECT_EQ(json["gated"], true);
    expectOutput(expectedOf(states, &weight, &bias, &decay, &input, query));
}

TEST_F(MemoryCommand, with_a_gate_of_one_everywhere_equals_that_without_a_gate) {
    const std::string states = write("h.npy", normalNumbers({9, 3}, 9));
    const std::string query = write("q.npy", normalNumbers({2, 3}, 10));
    jsonOf(memory({"--states", states, "--query", query, "--json"}));
    const Numbers plain = output("R");
    for (const double open : {50.0, infinity}) {
        jsonOf(memory({"--states", states, "--query", query, "--gate-weight",
                       write("w.npy", {{3, 3}, std::vector<double>(9, 0.0)}), "--gate-bias",
                       write("b.npy", {{3}, std::vector<double>(3, open)}), "--json"}));
        EXPECT_EQ(output("R").values, plain.values) << open;
    }
}

TEST_F(MemoryCommand, without_queries_writes_the_memory_alone) {
    const std::string states = write("h.npy", normalNumbers({5, 2}, 11));
    const auto json = jsonOf(memory({"--states", states, "--json"}));
    EXPECT_EQ(outputNames(), (std::vector<std::string>{"C", "F"}));
    EXPECT_EQ(json["queries"], 0);
    EXPECT_TRUE(json["strongest_token"].empty());
}

TEST_F(MemoryCommand, of_a_single_query_writes_single_rows) {
    const Numbers states = normalNumbers({6, 3}, 24);
    Numbers query = normalNumbers({1, 3}, 25);
    const std::string file = write("h.npy", states);
    const Expected expected = expectedOf(states, nullptr, nullptr, nullptr, nullptr, query);
    query.shape = {3};
    const auto json = jsonOf(memory({"--states", file, "--query", write("q.npy", query), "--json"}));
    EXPECT_EQ(json["queries"], 1);
    EXPECT_EQ(output("R").shape, std::vector<std::size_t>{3});
    EXPECT_EQ(output("token_weights").shape, std::vector<std::size_t>{6});
    EXPECT_TRUE(valuesNear(output("R").values, expected.found.values, 1e-12));
    EXPECT_TRUE(valuesNear(output("token_weights").values, expected.weights.values, 1e-12));
}

TEST_F(MemoryCommand, of_no_states_is_zero) {
    const std::string states = write("h.npy", {{0, 3}, {}});
    const std::string query = write("q.npy", normalNumbers({2, 3}, 12));
    const auto json = jsonOf(memory({"--states", states, "--query", query, "--json"}));
    EXPECT_EQ(output("C").values, std::vector<double>(9, 0.0));
    EXPECT_EQ(output("F").shape, (std::vector<std::size_t>{0, 3}));
    EXPECT_EQ(output("R").values, std::vector<double>(6, 0.0));
    EXPECT_EQ(output("token_weights").shape, (std::vector<std::size_t>{2, 0}));
    EXPECT_TRUE(json["strongest_token"][1].is_null());
    jsonOf(memory({"--states", states, "--query", write("none.npy", {{0, 3}, {}}), "--json"}));
    EXPECT_EQ(output("R").shape, (std::vector<std::size_t>{0, 3}));
}

TEST_F(MemoryCommand, reads_other_types_and_containers) {
    const std::string floats = folder / "h.npy";
    ASSERT_TRUE(io::writeNpy(floats, io::Array<float>{{2, 2}, {1, 2, 3, -1}}));
    const std::string whole = folder / "q.npz";
    const std::vector<io::NpzEntry> entries{{"q", io::Array<std::int64_t>{{1, 2}, {1, 0}}}};
    ASSERT_TRUE(io::writeNpz(whole, entries));
    jsonOf(memory({"--states", floats, "--query", whole, "--json"}));
    EXPECT_EQ(output("C").values, (std::vector<double>{10, -1, -1, 5}));
    EXPECT_EQ(output("R").values, (std::vector<double>{10, -1}));
}

TEST_F(MemoryCommand, says_in_words_what_it_found) {
    const auto result = memory({"--states", write("h.npy", {{2, 2}, {1, 2, 3, -1}}), "--query",
                                write("q.npy", {{1, 2}, {1, 0}})});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_NE(result.out.find("2 states of width 2"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("strongest weight 3 at token 1"), std::string::npos) << result.out;
    const auto many =
        memory({"--states", folder / "h.npy", "--query", write("many.npy", normalNumbers({25, 2}, 26))});
    EXPECT_NE(many.out.find("and 15 more queries"), std::string::npos) << many.out;
}

TEST_F(MemoryCommand, wrong_usage_exits_with_2) {
    const std::string states = write("h.npy", normalNumbers({5, 2}, 13));
    const std::string square = write("w.npy", normalNumbers({2, 2}, 14));
    EXPECT_TRUE(refused(memory({"--states", states, "--gate-weight", square}), 2, {"--gate-bias"}));
    EXPECT_TRUE(refused(memory({"--states", states, "--gate-bias", square}), 2, {"--gate-weight"}));
    EXPECT_TRUE(refused(memory({}), 2, {"--states"}));
    EXPECT_TRUE(refused(fovea({"memory", "--states", states}), 2, {"--output"}));
    EXPECT_TRUE(refused(memory({"--states", states, "--nonsense"}), 2, {"--nonsense"}));
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(MemoryCommand, shapes_that_do_not_fit_are_refused_by_file_and_shape) {
    const std::string states = write("h.npy", normalNumbers({5, 3}, 15));
    const std::string square = write("w.npy", normalNumbers({3, 3}, 16));
    const std::string three = write("three.npy", normalNumbers({3}, 17));
    const std::string other = write("other.npy", normalNumbers({4}, 18));
    const std::string wide = write("wide.npy", normalNumbers({3, 4}, 19));
    const auto refuse = [&](const std::vector<std::string>& options, const std::vector<std::string>& words) {
        auto line = options;
        if (line[0] != "--states") line.insert(line.begin(), {"--states", states});
        EXPECT_TRUE(refused(memory(line), 1, words)) << testing::PrintToString(line);
    };
    refuse({"--states", three}, {"three.npy", "expected shape [tokens, width], found [3]"});
    refuse({"--states", write("cube.npy", normalNumbers({2, 2, 2}, 20))}, {"cube.npy", "[2, 2, 2]"});
    refuse({"--states", write("thin.npy", {{4, 0}, {}})}, {"thin.npy", "[4, 0]"});
    refuse({"--states", write("huge.npy", {{0, 1000000000}, {}})}, {"huge.npy", "[0, 1000000000]"});
    refuse({"--gate-weight", wide, "--gate-bias", three},
           {"wide.npy", "expected shape [3, 3]", "found [3, 4]"});
    refuse({"--gate-weight", square, "--gate-bias", other}, {"other.npy", "expected shape [3]", "found [4]"});
    refuse({"--gate-weight", square, "--gate-bias", square}, {"w.npy", "expected shape [3]", "found [3, 3]"});
    refuse({"--decay", other}, {"other.npy", "expected shape [5]", "h.npy", "found [4]"});
    refuse({"--input", other}, {"other.npy", "expected shape [5]", "h.npy", "found [4]"});
    refuse({"--query", wide}, {"wide.npy", "expected shape [queries, 3]", "found [3, 4]"});
    refuse({"--query", other}, {"other.npy", "expected shape [queries, 3]", "found [4]"});
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(MemoryCommand, numbers_that_are_not_finite_are_refused_with_their_place) {
    const std::string states = write("h.npy", normalNumbers({4, 2}, 21));
    Numbers broken = normalNumbers({4, 2}, 22);
    broken.values[5] = nan;
    EXPECT_TRUE(
        refused(memory({"--states", write("nan.npy", broken)}), 1, {"nan.npy", "row 2, column 1", "nan"}));
    broken.values[5] = infinity;
    EXPECT_TRUE(refused(memory({"--states", states, "--query", write("inf.npy", broken)}), 1,
                        {"inf.npy", "row 2, column 1", "inf"}));
    EXPECT_TRUE(refused(memory({"--states", states, "--decay", write("a.npy", {{4}, {1, 1, 1, nan}})}), 1,
                        {"a.npy", "entry 3", "nan"}));
    EXPECT_TRUE(refused(memory({"--states", write("large.npy", {{1, 1}, {1e200}})}), 1,
                        {"large.npy", "range of double"}));
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(MemoryCommand, files_that_hold_no_array_of_numbers_are_refused_by_name) {
    const std::string texts = folder / "texts.npz";
    const std::vector<io::NpzEntry> words{{"t", std::vector<std::string>{"a", "b"}}};
    ASSERT_TRUE(io::writeNpz(texts, words));
    EXPECT_TRUE(refused(memory({"--states", texts}), 1, {"texts.npz", "texts"}));
    const std::string two = folder / "two.npz";
    const std::vector<io::NpzEntry> both{{"a", Numbers{{1, 1}, {1}}}, {"b", Numbers{{1, 1}, {1}}}};
    ASSERT_TRUE(io::writeNpz(two, both));
    EXPECT_TRUE(refused(memory({"--states", two}), 1, {"two.npz", "one array, found 2"}));
    EXPECT_TRUE(refused(memory({"--states", folder / "none.npy"}), 1, {"none.npy"}));
    const std::string states = write("h.npy", normalNumbers({4, 2}, 23));
    EXPECT_TRUE(
        refused(fovea({"memory", "--states", states, "-o", folder / "no" / "out.npz"}), 1, {"out.npz"}));
}

}  // namespace
}  // namespace fovea::test
