#include "irn/train/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace irn {

namespace {
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

bool is_squared(const Loss& loss) {
  const auto* named = std::get_if<NamedLoss>(&loss);
  return named && std::holds_alternative<SquaredLoss>(*named);
}
}  // namespace

TargetSums& TargetSums::operator+=(const TargetSums& other) {
  if (weight == 0) return *this = other;
  const double shift = other.origin - origin, many = other.weight;
  about_origin += other.about_origin + shift * (2 * other.from_origin + many * shift);
  from_origin += other.from_origin + many * shift;
  weight += other.weight;
  return *this;
}

AnswerSums& AnswerSums::operator+=(const AnswerSums& other) {
  squares += other.squares;
  answered += other.answered, lost += other.lost;
  return *this;
}

// The error of a sample without an answer is its distance from the mean of all.
double AnswerSums::r2() const {
  TargetSums all = answered;
  all += lost;
  const double spread = all.about_origin - all.from_origin * all.from_origin / all.weight;
  return spread > 0 ? 1 - (squares + (lost.weight > 0 ? lost.about(all.mean()) : 0)) / spread : nothing;
}

Score::Score(Loss loss, std::size_t targets)
    : loss_(std::move(loss)),
      classes_(of_classes(loss_)),
      squared_(is_squared(loss_)),
      sums_(classes_ ? 0 : targets) {}

template <class T>
void Score::add_class(std::span<const T> outputs, std::span<const T> targets, double weight) {
  if (largest<T>(outputs.first(targets.size())) == largest<T>(targets)) right_ += weight;
}

Score& Score::operator+=(const Score& other) {
  weight_ += other.weight_, lost_ += other.lost_, right_ += other.right_, loss_sum_ += other.loss_sum_;
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
  return *this;
}

void Score::clear() {
  weight_ = lost_ = right_ = loss_sum_ = 0;
  std::fill(sums_.begin(), sums_.end(), AnswerSums{});
}

double Score::value() const {
  if (weight_ + lost_ == 0) return nothing;
  if (classes_) return right_ / (weight_ + lost_);
  double sum = 0;
  for (const AnswerSums& sums : sums_) sum += sums.r2();
  return sum / double(sums_.size());
}

double Score::loss() const {
  if (weight_ == 0) return nothing;
  if (!squared_) return loss_sum_ / weight_;
  double sum = 0;
  for (const AnswerSums& sums : sums_) sum += sums.squares;
  return sum / (double(sums_.size()) * weight_);
}

std::string_view Score::name(const Loss& loss) { return of_classes(loss) ? "accuracy" : "R2"; }

template <class T>
std::size_t largest(std::span<const T> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

template void Score::add_class(std::span<const float>, std::span<const float>, double);
template void Score::add_class(std::span<const double>, std::span<const double>, double);
template std::size_t largest(std::span<const float>);
template std::size_t largest(std::span<const double>);

}  // namespace irn
