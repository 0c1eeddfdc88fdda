// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/label_scores.h"

#include <algorithm>
#include <map>

#include "core/support/precondition.h"

namespace fovea::training {

namespace {

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

LabelScores::LabelScores(std::vector<std::string> labels)
    : labels_(std::move(labels)), counts_(labels_.size()) {}

void LabelScores::add(const std::vector<bool>& said, const std::vector<bool>& truth) {
    require(said.size() == labels_.size() && truth.size() == labels_.size(), "an answer covers every label");
    for (std::size_t label = 0; label < labels_.size(); ++label) {
        counts_[label].hits += said[label] && truth[label];
        counts_[label].misses += !said[label] && truth[label];
        counts_[label].falseAlarms += said[label] && !truth[label];
    }
    ++pictures_;
    exact_ += said == truth;
    truths_.push_back(truth);
}

double LabelScores::exactMatch() const { return share(exact_, pictures_); }

double LabelScores::labelAccuracy() const {
    std::size_t wrong = 0;
    for (const Count& count : counts_) wrong += count.misses + count.falseAlarms;
    const std::size_t all = pictures_ * labels_.size();
    return share(all - wrong, all);
}

double LabelScores::f1(std::size_t label) const {
    const Count& count = counts_[label];
    return share(2 * count.hits, 2 * count.hits + count.misses + count.falseAlarms);
}

double LabelScores::meanF1() const {
    double sum = 0;
    for (std::size_t label = 0; label < labels_.size(); ++label) sum += f1(label);
    return labels_.empty() ? 0 : sum / static_cast<double>(labels_.size());
}

double LabelScores::constantLabelAccuracy() const {
    std::size_t right = 0;
    for (const Count& count : counts_) {
        const std::size_t there = count.hits + count.misses;
        right += std::max(there, pictures_ - there);
    }
    return share(right, pictures_ * labels_.size());
}

double LabelScores::constantExactMatch() const {
    std::map<std::vector<bool>, std::size_t> frequencies;
    std::size_t most = 0;
    for (const auto& truth : truths_) most = std::max(most, ++frequencies[truth]);
    return share(most, pictures_);
}

std::vector<TrainingMeasure> LabelScores::measures(const std::string& part) const {
    std::vector<TrainingMeasure> all = {
        {"exact match, " + part, exactMatch()},
        {"exact match of always the most frequent answer, " + part, constantExactMatch()},
        {"label accuracy, " + part, labelAccuracy()},
        {"label accuracy of always the most frequent answer, " + part, constantLabelAccuracy()},
        {"mean F1, " + part, meanF1()}};
    for (std::size_t label = 0; label < labels_.size(); ++label) {
        all.push_back({"F1 of " + labels_[label] + ", " + part, f1(label)});
    }
    return all;
}

}  // namespace fovea::training
