// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/memory_input.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/io/array_file.h"
#include "core/io/safetensors.h"
#include "core/support/precondition.h"

namespace fovea::app {

namespace {

using Numbers = io::Array<double>;

// An extent that the file is free to choose, by its name.
struct Extent {
    std::optional<std::size_t> size;
    const char* name = "";
};

std::string expectedText(const std::vector<Extent>& extents) {
    std::string text;
    for (const Extent& extent : extents) {
        if (!text.empty()) text += ", ";
        text += extent.size ? fmt::format("{}", *extent.size) : extent.name;
    }
    return "[" + text + "]";
}

Result<void> checkShape(const std::string& path, const std::vector<std::size_t>& shape,
                        const std::vector<Extent>& extents, const std::string& why) {
    bool fits = shape.size() == extents.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i)
        fits = !extents[i].size || *extents[i].size == shape[i];
    if (fits) return {};
    return fail(fmt::format("{}: expected shape {}{}, found {}", path, expectedText(extents), why,
                            io::shapeText(shape)));
}

std::string placeOf(const std::vector<std::size_t>& shape, std::size_t i) {
    if (shape.size() == 1) return fmt::format("entry {}", i);
    return fmt::format("row {}, column {}", i / shape[1], i % shape[1]);
}

Result<void> checkFinite(const std::string& path, const Numbers& numbers, bool infiniteToo) {
    for (std::size_t i = 0; i < numbers.values.size(); ++i) {
        const double value = numbers.values[i];
        if (std::isfinite(value) || (infiniteToo && std::isinf(value))) continue;
        return fail(fmt::format("{}: {}: expected a finite number, found {}", path, placeOf(numbers.shape, i),
                                value));
    }
    return {};
}

Result<Numbers> readNumbers(const std::string& path) {
    const auto file = io::readArrayFile(path);
    if (!file) return std::unexpected(file.error());
    if (file->arrays.size() != 1)
        return fail(fmt::format("{}: expected one array, found {}", path, file->arrays.size()));
    const io::FileArray& array = file->arrays.front();
    if (array.isText) return fail(fmt::format("{}: expected numbers, found texts", path));
    auto numbers = io::convertedArray<double>(array.numbers, array.name);
    if (!numbers) return fail(fmt::format("{}: {}", path, numbers.error().message));
    return numbers;
}

Result<Numbers> readNumbers(const std::string& path, const std::vector<Extent>& extents,
                            const std::string& why = {}, bool infiniteToo = false) {
    auto numbers = readNumbers(path);
    if (!numbers) return numbers;
    if (auto fits = checkShape(path, numbers->shape, extents, why); !fits)
        return std::unexpected(fits.error());
    if (auto finite = checkFinite(path, *numbers, infiniteToo); !finite)
        return std::unexpected(finite.error());
    return numbers;
}

RowMatrixD matrixOf(const Numbers& numbers) {
    return Eigen::Map<const RowMatrixD>(numbers.values.data(), static_cast<Eigen::Index>(numbers.shape[0]),
                                        static_cast<Eigen::Index>(numbers.shape[1]));
}

Eigen::VectorXd vectorOf(const Numbers& numbers) {
    return Eigen::Map<const Eigen::VectorXd>(numbers.values.data(),
                                             static_cast<Eigen::Index>(numbers.values.size()));
}

Result<RowMatrixD> readStates(const std::string& path) {
    const auto states = readNumbers(path, {{{}, "tokens"}, {{}, "width"}});
    if (!states) return std::unexpected(states.error());
    const std::size_t width = states->shape[1];
    if (width >= 1 && width <= widestMemory) return matrixOf(*states);
    return fail(fmt::format("{}: expected a width of 1 to {}, found shape {}", path, widestMemory,
                            io::shapeText(states->shape)));
}

// Reads the other files into a question whose states are there.
class Reader {
public:
    Reader(const MemoryFiles& files, MemoryQuestion& question) : files_(files), question_(question) {
        tokens_ = static_cast<std::size_t>(question.input.states.rows());
        width_ = static_cast<std::size_t>(question.input.states.cols());
    }

    Result<void> readGate() {
        if (!files_.gateWeight) return {};
        const auto weight = readNumbers(*files_.gateWeight, {{width_, ""}, {width_, ""}}, ofWidth());
        if (!weight) return std::unexpected(weight.error());
        const auto bias = readNumbers(*files_.gateBias, {{width_, ""}}, ofWidth(), true);
        if (!bias) return std::unexpected(bias.error());
        question_.input.gate = MemoryGate{matrixOf(*weight), vectorOf(*bias)};
        return {};
    }

    Result<void> readRate(const std::optional<std::string>& path, std::optional<Eigen::VectorXd>& rate) {
        if (!path) return {};
        const std::string why = fmt::format(" for the {} tokens of {}", tokens_, files_.states);
        const auto numbers = readNumbers(*path, {{tokens_, ""}}, why);
        if (!numbers) return std::unexpected(numbers.error());
        rate = vectorOf(*numbers);
        return {};
    }

    Result<void> readQueries() {
        if (!files_.query) return {};
        const std::string& path = *files_.query;
        auto queries = readNumbers(path);
        if (!queries) return std::unexpected(queries.error());
        question_.oneQuery = queries->shape == std::vector{width_};
        if (!question_.oneQuery) {
            const auto fits = checkShape(path, queries->shape, {{{}, "queries"}, {width_, ""}}, ofWidth());
            if (!fits) return fits;
        }
        if (auto finite = checkFinite(path, *queries, false); !finite) return finite;
        if (question_.oneQuery) queries->shape.insert(queries->shape.begin(), 1);
        question_.lookups = MemoryLookups{matrixOf(*queries), {}};
        return {};
    }

private:
    std::string ofWidth() const { return fmt::format(" for the width {} of {}", width_, files_.states); }

    const MemoryFiles& files_;
    MemoryQuestion& question_;
    std::size_t tokens_ = 0;
    std::size_t width_ = 0;
};

}  // namespace

Result<MemoryQuestion> readMemoryQuestion(const MemoryFiles& files) {
    require(files.gateWeight.has_value() == files.gateBias.has_value(), "both halves of a gate, or none");
    MemoryQuestion question;
    auto states = readStates(files.states);
    if (!states) return std::unexpected(states.error());
    question.input.states = std::move(*states);
    Reader reader(files, question);
    if (auto read = reader.readGate(); !read) return std::unexpected(read.error());
    auto& rates = question.input.rates;
    if (auto read = reader.readRate(files.decay, rates.decay); !read) return std::unexpected(read.error());
    if (auto read = reader.readRate(files.input, rates.input); !read) return std::unexpected(read.error());
    if (auto read = reader.readQueries(); !read) return std::unexpected(read.error());
    return question;
}

}  // namespace fovea::app
