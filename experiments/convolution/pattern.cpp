#include "experiments/convolution/pattern.h"

#include <algorithm>

#include <fmt/format.h>

namespace irn::experiments {
namespace {

Architecture with_channels(const Pattern& pattern, std::size_t first, std::size_t second) {
  return from_text<Architecture>(
      fmt::format("1x28x28-{}k5s2relu-{}k3s2relu-10identity/none{}", first, second, pattern.blocks));
}

}  // namespace

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {"none", "no recurrence", "", "every neuron answers at once."},
      {"lateral-1", "lateral 1 x 1", "+1:1=conv1+2:2=conv1", "the filters at one place hear each other."},
      {"lateral-3", "lateral 3 x 3", "+1:1=conv3+2:2=conv3",
       "so do those of neighbouring places, as the paper proposes for neighbouring kernels."},
      {"feedback", "feedback", "+2:1=tconv3s2",
       "the second layer is heard by the first, through a transposed convolution."},
      {"all", "lateral 3 x 3 and feedback", "+1:1=conv3+2:2=conv3+2:1=tconv3s2", "both."},
  };
  return all;
}

const Pattern& pattern(std::string_view name) {
  return *std::find_if(patterns().begin(), patterns().end(),
                       [&](const Pattern& p) { return p.name == name; });
}

Architecture sized(const Pattern& pattern, std::size_t channels) {
  const std::size_t wanted = with_channels(patterns().front(), channels, 2 * channels).parameters();
  const auto miss = [&](const Architecture& a) {
    return a.parameters() > wanted ? a.parameters() - wanted : wanted - a.parameters();
  };
  Architecture nearest = with_channels(pattern, channels, 2 * channels);
  // No pattern has fewer parameters than the first: channels can only shrink.
  for (std::size_t first = channels; first >= 1; --first)
    for (const std::size_t second : {2 * first, 2 * first + 1, 2 * first - 1}) {
      Architecture other = with_channels(pattern, first, second);
      if (miss(other) < miss(nearest)) nearest = std::move(other);
    }
  return nearest;
}

}  // namespace irn::experiments
