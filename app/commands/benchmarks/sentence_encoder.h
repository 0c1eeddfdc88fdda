// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/support/result.h"

namespace fovea::app {

/// A model folder in a temporary place, gone with the object: a BERT of the size of MiniLM (6 layers of 12
/// heads, hidden size 384) with a small vocabulary and weights at random.
class SentenceEncoderFolder {
public:
    static Result<SentenceEncoderFolder> write();
    SentenceEncoderFolder(SentenceEncoderFolder&& other) noexcept : folder_(std::move(other.folder_)) {
        other.folder_.clear();
    }
    SentenceEncoderFolder& operator=(SentenceEncoderFolder&&) = delete;
    ~SentenceEncoderFolder();

    const std::filesystem::path& path() const { return folder_; }
    static constexpr std::size_t vocabulary = 1000;
    static constexpr std::size_t hiddenSize = 384;

private:
    explicit SentenceEncoderFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::filesystem::path folder_;
};

}  // namespace fovea::app
