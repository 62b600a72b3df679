#include "irn/train/class_weighting.h"

#include <algorithm>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn {
namespace {

// "yes=5" gives class yes the weight 5; the name of a class may contain "=".
std::vector<double> named_weights(const std::vector<std::string>& classes,
                                  const std::vector<std::string>& wanted) {
  std::vector<double> weights(classes.size(), 1);
  const std::vector<std::string_view> known(classes.begin(), classes.end());
  for (const std::string& word : wanted) {
    const std::size_t equals = word.rfind('=');
    double weight = 0;
    if (equals == word.npos || !read_value(std::string_view(word).substr(equals + 1), weight) || weight < 0)
      throw Error("\"" + word + "\" is neither balanced nor a class and its weight, as in yes=5");
    const std::string name = word.substr(0, equals);
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) throw Error(unknown_name("class", name, known));
    weights[static_cast<std::size_t>(found - classes.begin())] = weight;
  }
  return weights;
}

}  // namespace

template <class T>
std::unique_ptr<ClassWeighted<T>> class_weighting(const Samples<T>& samples, const Encoding& encoding,
                                                  const std::vector<std::string>& wanted) {
  if (wanted.empty()) return nullptr;
  if (encoding.task != Task::classification)
    throw Error("the targets are numbers, not classes; take a column of weights");
  const bool balanced = wanted == std::vector<std::string>{"balanced"};
  return std::make_unique<ClassWeighted<T>>(
      samples, balanced ? balanced_class_weights(samples)
                        : named_weights(encoding.targets.front().categories, wanted));
}

template std::unique_ptr<ClassWeighted<float>> class_weighting(const Samples<float>&, const Encoding&,
                                                               const std::vector<std::string>&);
template std::unique_ptr<ClassWeighted<double>> class_weighting(const Samples<double>&, const Encoding&,
                                                                const std::vector<std::string>&);

}  // namespace irn
