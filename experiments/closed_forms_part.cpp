// Claim 12: the paper's closed forms agree with central differences and the library's exact gradient over
// many random networks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/closed_forms.h"
#include "experiments/random_network.h"
#include "experiments/small_parts.h"
#include "irn/base/random.h"
#include "irn/engine/batch_gradient.h"
#include "irn/engine/settler.h"

namespace irn::experiments {
namespace {

constexpr const char* architecture = "3-4-2";
// All weights uniform in [-2, 2]: recurrence matters, and nearly every network settles.
constexpr double width = 2;
// Half the step of a central difference. Its error is about h^2 y''' / 6; rounding adds about 1e-15 / h.
constexpr double h = 1e-5;
// Near a fold derivatives of all orders grow, and differences of finite width fail: a network whose gradient
// amplifies by more than this is compared with the library only.
constexpr double amplification_limit = 30;
constexpr double library_limit = 1e-9, difference_limit = 1e-6;

class TwoLayers {
 public:
  explicit TwoLayers(std::uint64_t seed, bool feedback)
      : network_(random_network<double>(architecture, seed, {-width, width})),
        samples_(random_samples<double>(1, network_.architecture().inputs(), seed)) {
    for (const Block& b : network_.architecture().blocks())
      for (std::size_t i = b.weights; i < b.weights + b.rows * b.cols; ++i) {
        if (b.forward()) network_.parameters()[i] *= 2 * width;  // from [-1/2, 1/2]
        if (!feedback && b.from > b.to) network_.parameters()[i] = 0;
      }
    settler_.update(network_);
    gradient_.update(network_);
    settler_.settle(samples_, std::span(&sample_, 1), states_);
  }

  bool settled() const { return states_.settled(0); }
  double amplification() const { return amplification_; }
  const Architecture& architecture_of() const { return network_.architecture(); }
  Matrix closed() const { return closed_forms(network_, states_.state(0), samples_.input_row(0)); }
  Matrix one_layer() const { return one_layer_form(network_, states_.state(0)); }

  // One backward pass for each output.
  Matrix exact() {
    const std::size_t outputs = network_.architecture().outputs();
    Matrix result(outputs, network_.parameters().size());
    const Forward<double> forward = gradient_.forward(samples_, std::span(&sample_, 1));
    for (std::size_t i = 0; i < outputs; ++i) {
      std::vector<double> slopes(outputs, 0.0);
      slopes[i] = 1;
      const GradientResult<double> g = gradient_.backward(forward, slopes);
      std::copy(g.parameters.begin(), g.parameters.end(), &result(i, 0));
      amplification_ = std::max(amplification_, g.amplification[0]);
    }
    return result;
  }

  Matrix differences() {
    Matrix result(network_.architecture().outputs(), network_.parameters().size());
    for (std::size_t p = 0; p < result.cols; ++p) {
      const std::vector<double> up = outputs_with(p, h), down = outputs_with(p, -h);
      for (std::size_t i = 0; i < result.rows; ++i) result(i, p) = (up[i] - down[i]) / (2 * h);
    }
    return result;
  }

 private:
  std::vector<double> outputs_with(std::size_t parameter, double change) {
    const double before = network_.parameters()[parameter];
    network_.parameters()[parameter] = before + change;
    settler_.update(network_);
    network_.parameters()[parameter] = before;
    Equilibria<double> moved;
    settler_.settle(samples_, std::span(&sample_, 1), moved);
    const std::span<const double> outputs = moved.state(0).subspan(network_.architecture().first_output());
    return {outputs.begin(), outputs.end()};
  }

  static constexpr std::uint64_t sample_ = 0;
  ThreadPool threads_{1};
  NetworkOf<double> network_;
  SampleTable<double> samples_;
  SettleOptions settle_ = {.tolerance = least_tolerance<double>()};
  Settler<double> settler_{network_, settle_, threads_};
  BatchGradient<double> gradient_{
      network_, {.settle = settle_, .on_fold = OnFold::keep, .amplification_limit = 1e12}, threads_};
  Equilibria<double> states_;
  double amplification_ = 0;
};

// The largest difference, relative to the largest entry, over one matrix of parameters.
double relative(const Matrix& a, const Matrix& b, const std::vector<std::size_t>& places) {
  double difference = 0, scale = 0;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (const std::size_t p : places) {
      difference = std::max(difference, std::abs(a(i, p) - b(i, p)));
      scale = std::max(scale, std::abs(b(i, p)));
    }
  return difference / scale;
}

void compare(std::uint64_t seed, Json& json) {
  TwoLayers network(seed, true);
  if (!network.settled()) return;
  const Matrix closed = network.closed(), exact = network.exact();
  const bool far_from_fold = network.amplification() < amplification_limit;
  json["settled"] = json["settled"].get<int>() + 1;
  json["compared_with_differences"] = json["compared_with_differences"].get<int>() + far_from_fold;
  const Matrix differences = far_from_fold ? network.differences() : closed;
  for (const std::string_view name : closed_form_names) {
    const auto places_of_name = places(network.architecture_of(), name);
    json["library"][std::string(name)].push_back(relative(exact, closed, places_of_name));
    if (far_from_fold)
      json["differences"][std::string(name)].push_back(relative(differences, closed, places_of_name));
  }
}

// Without feedback the general form must equal that of one layer, and the library's.
void compare_without_feedback(std::uint64_t seed, Json& json) {
  TwoLayers network(seed, false);
  if (!network.settled()) return;
  const Matrix one_layer = network.one_layer();
  const auto w1 = places(network.architecture_of(), "W1");
  json["one_layer"]["closed"].push_back(relative(network.closed(), one_layer, w1));
  json["one_layer"]["library"].push_back(relative(network.exact(), one_layer, w1));
}

std::size_t networks(const Protocol& p) { return p.xor_seeds; }

Json run(const Protocol& p, const Watch& watch) {
  Json json = {{"networks", networks(p)}, {"settled", 0}, {"compared_with_differences", 0}};
  const Stream seeds(p.seed, 0x636c6f736564);  // "closed"
  for (std::size_t k = 0; k < networks(p); ++k) {
    watch.check();
    compare(seeds.bits(k), json);
    compare_without_feedback(seeds.bits(k), json);
  }
  return json;
}

std::vector<Job> jobs(const Protocol& p) {
  return {{"closed-forms", 1e-3 * double(networks(p)), [p](const Watch& watch) { return run(p, watch); }}};
}

double worst(const Json& values) { return quantile(numbers(values), 1); }

report::Table table(const Json& result) {
  using enum report::Align;
  report::Table table{
      .caption =
          "Largest relative difference to the paper's closed form over all networks, for every matrix "
          "of parameters; in brackets the median.",
      .columns = {
          {"derivative of Y1 by"}, {"library's exact gradient", right}, {"central differences", right}}};
  const auto cell = [](const Json& values) {
    return fmt::format("{:.1e} ({:.1e})", worst(values), quantile(numbers(values), 0.5));
  };
  for (const std::string_view name : closed_form_names)
    table.rows.push_back({std::string(name), cell(result.at("library").at(std::string(name))),
                          cell(result.at("differences").at(std::string(name)))});
  table.rows.push_back({"W1 with R = 0, one-layer form", cell(result.at("one_layer").at("library")), ""});
  return table;
}

Claim judge(const Json& result) {
  double library = 0, difference = 0;
  for (const std::string_view name : closed_form_names) {
    library = std::max(library, worst(result.at("library").at(std::string(name))));
    difference = std::max(difference, worst(result.at("differences").at(std::string(name))));
  }
  const double one_layer =
      std::max(worst(result.at("one_layer").at("closed")), worst(result.at("one_layer").at("library")));
  const bool forms = library < library_limit && difference < difference_limit,
             reduces = one_layer < library_limit;
  return {
      .number = 12,
      .statement =
          "The closed-form derivatives of the two-layer network (the paper's S) are right; with R = 0 they "
          "reduce to the one-layer form.",
      .measured = fmt::format(
          "largest relative difference over {} networks: {:.1e} to the library's exact gradient (holds "
          "below {:g}), {:.1e} to central differences (below {:g}); with R = 0 {:.1e} to the one-layer "
          "form",
          result.at("settled").get<int>(), library, library_limit, difference, difference_limit, one_layer),
      .finding = forms && reduces   ? Finding::holds
                 : forms || reduces ? Finding::partly
                                    : Finding::fails,
      .numbers = {{"networks", result.at("settled")},
                  {"library", library},
                  {"differences", difference},
                  {"one_layer", one_layer}}};
}

PartReport assemble(const Protocol&, const Results& results) {
  const Json& result = results.at("closed-forms");
  PartReport report;
  const int settled = result.at("settled").get<int>(),
            compared = result.at("compared_with_differences").get<int>();
  const std::string others = fmt::format(
      "; the others are so near a fold (a gradient amplified more than {:g} times) that a difference "
      "of finite width means nothing",
      amplification_limit);
  report.text = {
      fmt::format("{} random networks of 3 inputs, 4 hidden and 2 output neurons with all weights in [-2, "
                  "2]; {} settle. Central "
                  "differences (h = {:g}) are taken for {} of them{}.",
                  result.at("networks").get<int>(), settled, h, compared, compared == settled ? "" : others)};
  report.tables = {table(result)};
  report.claims = {judge(result)};
  return report;
}

}  // namespace

Part closed_forms_part() {
  return {"closed-forms", "The closed forms of the two-layer network", jobs, assemble};
}

}  // namespace irn::experiments
