#include "irn/train/views.h"

#include <cmath>

#include "irn/base/error.h"
#include "irn/train/augmented_samples.h"
#include "irn/train/evaluate.h"
#include "irn/train/softmax.h"

namespace irn {
namespace {

// The views of a model depend on no other seed.
constexpr std::uint64_t seed_of_views = 0;

// Outcomes are ordered from better to worse.
void join(Verdict& all, const Verdict& one) {
  const std::uint32_t evaluations = all.evaluations + one.evaluations;
  const double residual = std::max(all.residual, one.residual);
  const bool undecided = one.stability == Stability::undecided && all.stability == Stability::attracts;
  if (one.outcome > all.outcome || (one.outcome == all.outcome && undecided)) all = one;
  all.evaluations = evaluations, all.residual = residual;
}

// Adds what is averaged of one view.
template <class T>
void add_answer(std::span<const T> outputs, std::size_t classes, double* sums) {
  const Softmax shares = classes > 0 ? softmax(outputs.first(classes)) : Softmax{};
  for (std::size_t k = 0; k < classes; ++k) sums[k] += shares.share(double(outputs[k]));
  for (std::size_t k = classes; k < outputs.size(); ++k) sums[k] += double(outputs[k]);
}

// A probability of zero has no logarithm. This one is too small to change a double of 1.
constexpr double least_probability = 1e-300;

}  // namespace

void check_views(const Views& views) {
  constexpr std::size_t most = 1000;
  if (views.count == 0 || views.count > most) throw Error("views: give 1 to " + std::to_string(most));
  if (views.count == 1) return;
  if (views.image.none()) throw Error("views are of images, and the model was not trained on any");
  if (views.augmentation.none())
    throw Error("views: nothing says how they differ; give an augmentation, as in shift=1,rotate=5");
  check_augmentation(views.augmentation, views.image);
}

template <class T>
Equilibria<T> settle_views(Settler<T>& settler, const Samples<T>& samples, const Views& views,
                           std::size_t classes) {
  check_views(views);
  Equilibria<T> answers = settle_outputs(settler, samples);
  if (views.count == 1) return answers;
  AugmentedSamples<T> changed(samples, views.augmentation, views.image, seed_of_views);
  std::vector<double> sums(answers.states.size());
  const std::size_t width = answers.neurons;
  const auto add_view = [&](const Equilibria<T>& view) {
    for (std::size_t s = 0; s < view.size(); ++s) add_answer<T>(view.state(s), classes, &sums[s * width]);
  };
  add_view(answers);
  for (std::size_t v = 1; v < views.count; ++v) {
    changed.set_view(v);
    const Equilibria<T> view = settle_outputs(settler, changed);
    add_view(view);
    for (std::size_t s = 0; s < view.size(); ++s) join(answers.verdicts[s], view.verdicts[s]);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double mean = sums[i] / double(views.count);
    answers.states[i] =
        static_cast<T>(i % width < classes ? std::log(std::max(mean, least_probability)) : mean);
  }
  return answers;
}

template Equilibria<float> settle_views(Settler<float>&, const Samples<float>&, const Views&, std::size_t);
template Equilibria<double> settle_views(Settler<double>&, const Samples<double>&, const Views&, std::size_t);

}  // namespace irn
