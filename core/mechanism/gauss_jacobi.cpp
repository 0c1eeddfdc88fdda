// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/gauss_jacobi.h"

#include <cmath>
#include <list>
#include <mutex>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "core/support/precondition.h"

namespace fovea {

namespace {

/// The recurrence of the Jacobi polynomials R_k, 1 at one end of the interval, in the distance d from
/// that end: rise_k (R_(k+1) - R_k) = fall_k (R_k - R_(k-1)) - d R_k. Nothing cancels for small d, so
/// that distances keep their digits where the nodes crowd at the end (large exponents, many nodes).
struct Recurrence {
    Eigen::VectorXd rise;
    Eigen::VectorXd fall;
    Eigen::VectorXd norm;  ///< sqrt(rise_k/fall_(k+1)), the ratio of the norms of R_k and R_(k+1)
};

/// `near` is the exponent of the weight at the end that distances count from, `far` the other.
Recurrence recurrence(Eigen::Index count, double near, double far) {
    Recurrence r{Eigen::VectorXd(count), Eigen::VectorXd(count + 1), Eigen::VectorXd(count)};
    const double sum = near + far;
    r.fall[0] = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto k = static_cast<double>(i), next = k + 1;
        // At k = 0 a factor sum + 1 cancels, which may be 0.
        r.rise[i] = i == 0 ? 2 * (near + 1) / (sum + 2)
                           : 2 * ((k + sum + 1) / (2 * k + sum + 1)) * ((k + near + 1) / (2 * k + sum + 2));
        r.fall[i + 1] = 2 * (next / (2 * next + sum)) * ((next + far) / (2 * next + sum + 1));
        r.norm[i] = std::sqrt(r.rise[i] / r.fall[i + 1]);
    }
    return r;
}

/// The eigenvalues of the tridiagonal matrix of multiplication by d: the nodes' distances, ascending,
/// to an absolute error of about one rounding of the largest.
Eigen::VectorXd distances(const Recurrence& r, Eigen::Index count) {
    const Eigen::VectorXd diagonal = r.rise + r.fall.head(count);
    if (count == 1) return diagonal;
    const Eigen::VectorXd beside =
        (r.rise.head(count - 1).array() * r.fall.segment(1, count - 1).array()).sqrt();
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, beside, Eigen::EigenvaluesOnly);
    return solver.eigenvalues();
}

struct Evaluation {
    double last;        ///< the orthonormal polynomial of degree count
    double lastSlope;   ///< its derivative by d
    double sumSquares;  ///< of those of lower degree: the reciprocal of the weight, at a node
};

Evaluation evaluate(const Recurrence& r, double d) {
    double value = 1, slope = 0, step = 0, slopeStep = 0, sum = 0;
    for (Eigen::Index k = 0; k < r.rise.size(); ++k) {
        sum += value * value;
        const double rise = (r.fall[k] * step - d * value) / r.rise[k];
        const double slopeRise = (r.fall[k] * slopeStep - d * slope - value) / r.rise[k];
        value = r.norm[k] * (value + rise);
        slope = r.norm[k] * (slope + slopeRise);
        step = r.norm[k] * rise;
        slopeStep = r.norm[k] * slopeRise;
    }
    return {value, slope, sum};
}

struct NearNode {
    double distance;
    double weight;
};

/// The nodes whose distance from one end is below 1, ascending: Newton's method gives the small
/// distances the relative accuracy that eigenvalues lack.
std::vector<NearNode> nearNodes(const Recurrence& r, const Eigen::VectorXd& starts, Eigen::Index count) {
    std::vector<NearNode> nodes;
    for (Eigen::Index i = 0; i < count; ++i) {
        double d = starts[i];
        for (int iteration = 0; iteration < 2; ++iteration) {
            const Evaluation at = evaluate(r, d);
            const double step = at.last / at.lastSlope;
            if (std::isfinite(step) && d - step > 0) d -= step;
        }
        // Polynomials that overflow belong to a weight that underflows.
        const double sum = evaluate(r, d).sumSquares;
        nodes.push_back({d, std::isfinite(sum) ? 1 / sum : 0.0});
    }
    return nodes;
}

QuadratureRule makeRule(std::size_t size, double p, double r) {
    const auto count = static_cast<Eigen::Index>(size);
    const Recurrence lower = recurrence(count, r, p), upper = recurrence(count, p, r);
    const Eigen::VectorXd fromLower = distances(lower, count), fromUpper = distances(upper, count);
    const Eigen::Index inLower = (fromLower.array() < 1).count();
    QuadratureRule rule;
    for (const NearNode& node : nearNodes(lower, fromLower, inLower)) {
        rule.toLower.push_back(node.distance);
        rule.toUpper.push_back(2 - node.distance);
        rule.weights.push_back(node.weight);
    }
    const auto others = nearNodes(upper, fromUpper, count - inLower);
    for (auto node = others.rbegin(); node != others.rend(); ++node) {
        rule.toLower.push_back(2 - node->distance);
        rule.toUpper.push_back(node->distance);
        rule.weights.push_back(node->weight);
    }
    double sum = 0;
    for (const double weight : rule.weights) sum += weight;
    for (double& weight : rule.weights) weight /= sum;
    for (std::size_t k = 0; k < size; ++k) {
        const bool low = rule.toLower[k] < rule.toUpper[k];
        rule.nodes.push_back(low ? rule.toLower[k] - 1 : 1 - rule.toUpper[k]);
    }
    return rule;
}

struct CachedRule {
    std::size_t count;
    double p;
    double r;
    std::shared_ptr<const QuadratureRule> rule;
};

/// The rules of late, the latest first.
class RuleCache {
public:
    std::shared_ptr<const QuadratureRule> find(std::size_t count, double p, double r) {
        const std::lock_guard lock(mutex_);
        for (auto entry = rules_.begin(); entry != rules_.end(); ++entry) {
            if (entry->count != count || entry->p != p || entry->r != r) continue;
            rules_.splice(rules_.begin(), rules_, entry);
            return rules_.front().rule;
        }
        return nullptr;
    }

    void keep(CachedRule rule) {
        constexpr std::size_t bound = 64;
        const std::lock_guard lock(mutex_);
        rules_.push_front(std::move(rule));
        if (rules_.size() > bound) rules_.pop_back();
    }

private:
    std::mutex mutex_;
    std::list<CachedRule> rules_;
};

}  // namespace

std::shared_ptr<const QuadratureRule> gaussJacobi(std::size_t count, double p, double r) {
    require(count >= 1, "at least one node");
    require(p > -1 && r > -1 && std::isfinite(p) && std::isfinite(r), "finite exponents above -1");
    static RuleCache cache;
    if (auto known = cache.find(count, p, r)) return known;
    // Outside the lock: two threads may compute the same rule, which costs less than a wait for another.
    auto rule = std::make_shared<const QuadratureRule>(makeRule(count, p, r));
    cache.keep({count, p, r, rule});
    return rule;
}

}  // namespace fovea
