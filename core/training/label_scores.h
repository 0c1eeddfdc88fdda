// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/trace/training_runtime.h"

namespace fovea::training {

/// Answers to "which labels apply?" counted against the truth. A label is said to apply where its logit
/// is above 0, its probability above one half.
class LabelScores {
public:
    explicit LabelScores(std::vector<std::string> labels);

    void add(const std::vector<bool>& said, const std::vector<bool>& truth);

    std::size_t pictures() const { return pictures_; }
    /// Share of the pictures with every label right.
    double exactMatch() const;
    /// Share of all labels of all pictures that are right.
    double labelAccuracy() const;
    /// 2 hits / (2 hits + misses + false alarms) over the pictures, of one label; 0 where it is 0 / 0.
    double f1(std::size_t label) const;
    /// The mean of f1 over the labels.
    double meanF1() const;
    /// labelAccuracy() of always giving the more frequent answer, label by label.
    double constantLabelAccuracy() const;
    /// exactMatch() of always giving the most frequent set of labels.
    double constantExactMatch() const;

    /// All of it by name, each with `part` in it: "exact match, test".
    std::vector<TrainingMeasure> measures(const std::string& part) const;

private:
    struct Count {
        std::size_t hits = 0;
        std::size_t misses = 0;
        std::size_t falseAlarms = 0;
    };

    std::vector<std::string> labels_;
    std::vector<Count> counts_;
    std::vector<std::vector<bool>> truths_;
    std::size_t pictures_ = 0;
    std::size_t exact_ = 0;
};

}  // namespace fovea::training
