// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/site.h"

namespace fovea {

/// A tensor whose shape is not what the configuration implies.
struct ShapeMismatch {
    std::string name;
    std::vector<std::size_t> expected;
    std::vector<std::size_t> found;
};

/// How the tensors of the files compare with what the architecture needs.
struct LoadReport {
    std::vector<std::string> used;
    std::vector<std::string> missing;
    std::vector<std::string> unexpected;
    std::vector<ShapeMismatch> mismatched;
    /// Missing ones that stand on the body: a head that was never trained, or was not saved.
    std::vector<std::string> missingOfHead;
    /// In the files, but of layers or a head that were not asked for.
    std::vector<std::string> leftOut;

    bool complete() const { return missing.empty() && mismatched.empty(); }
};

/// What a model that reads pictures expects.
struct VisionInfo {
    std::size_t imageHeight = 0;  ///< that its positions were made for
    std::size_t imageWidth = 0;
    std::size_t patchSize = 0;    ///< side of a square patch, pixels
    /// Positions between the text, if any, and the patches, in order: "[CLS]", "[DIST]", "[REG 0]".
    std::vector<std::string> prefixTokens;
};

/// The second stack of a model that reads one sequence and writes another.
struct DecoderInfo {
    std::size_t layers = 0;
    std::size_t heads = 0;
    std::size_t keyValueHeads = 0;
    std::size_t vocabularySize = 0;
    std::int64_t startId = 0;  ///< that every answer begins with
    /// Reads the encoder's input again, behind its start token, unless it is given a sequence of its own.
    bool readsInput = false;
    /// A classifier reads the state where the input has this token for the last time.
    std::optional<std::int64_t> summaryId = {};
};

/// What a model folder says of itself, without running anything.
struct ModelInfo {
    std::filesystem::path folder;
    std::string name;    ///< the folder's name; "org/name" in the hub's cache
    std::string format;  ///< "safetensors", "pytorch"
    std::filesystem::path weightsFile;  ///< or the index of several; empty: there are no weights
    std::string modelType;
    std::string architecture;
    std::size_t layers = 0;  ///< of the encoder where there are two stacks
    std::size_t heads = 0;
    std::size_t keyValueHeads = 0;
    std::optional<DecoderInfo> decoder;
    std::size_t leftOutLayers = 0;       ///< of all stacks, where only the first were asked for
    std::size_t hiddenSize = 0;
    std::size_t vocabularySize = 0;      ///< 0: the model reads no text
    std::size_t maxPositions = 0;        ///< 0: without a limit
    std::size_t typeVocabularySize = 0;  ///< 0: the model has no token types
    std::uint64_t parameters = 0;        ///< of the architecture; tied weights count once
    std::uint64_t weightBytes = 0;       ///< of the weights as they are computed with, float32
    bool generates = false;              ///< continues a text, or writes an answer
    std::vector<Site> sites;
    LoadReport tensors;
    std::vector<std::string> outputs;  ///< names, the main one first
    std::vector<std::string> labels;   ///< of a classifier, by index; empty otherwise
    bool multiLabel = false;           ///< each label is a yes or no of its own: sigmoid, not softmax
    std::optional<VisionInfo> vision;  ///< of a model that reads pictures

    bool readsText() const { return vocabularySize > 0; }
    bool readsPictures() const { return vision.has_value(); }
    bool writesAnswers() const { return decoder.has_value(); }
};

/// How much of a folder is read, and when.
struct LoadOptions {
    std::optional<std::size_t> firstLayers;  ///< of every stack; none: all
    bool bodyAlone = false;    ///< without the head, whose weights may then be missing
    bool readAsTheyRun = false;  ///< weights stay in the file until a layer runs, and go with it

    bool operator==(const LoadOptions&) const = default;
};

}  // namespace fovea
