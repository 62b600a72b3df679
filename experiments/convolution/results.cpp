#include "experiments/convolution/results.h"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/images/image_training.h"

namespace irn::experiments {
namespace {

// Products of one evaluation: a weight of a convolution is used at every position of its smaller image.
double work(const Architecture& a) {
  const auto places = [&](std::size_t node) {
    return double(node == 0 ? a.input_shape().pixels() : a.layers()[node - 1].shape.pixels());
  };
  double sum = 0;
  for (const Block& b : a.blocks())
    sum += double(b.parameters) * (b.dense() ? 1 : std::min(places(b.from), places(b.to)));
  return sum;
}

// Roughly, in seconds of one core: only which jobs are long matters.
double cost(const ConvolutionSettings& s, const Variant& v) {
  const double evaluations = v.pattern->recurrent() ? 15 : 1;
  const double seen = double(s.epochs * s.rows) * 2.2 + double(s.held_out * (1 + disturbances().size()));
  return seen * evaluations * work(sized(*v.pattern, s.channels)) * 1e-10;
}

Job job_of(const ConvolutionSettings& s, const ImageSource& source, const Variant& v, std::size_t repeat) {
  return {v.key(repeat), cost(s, v), [s, source, v, repeat](const Watch& watch) {
            watch.check();
            const NetworkOf<float> start(sized(*v.pattern, s.channels), Start::scaled, s.seed_of(repeat));
            return train_images(start, *v.method, source.rows(s.seed_of(repeat), s.rows, s.held_out),
                                {.epochs = s.epochs, .rate = s.rate, .seed = s.seed_of(repeat)},
                                disturbances(), watch);
          }};
}

}  // namespace

std::string Variant::label() const {
  const std::string what(pattern->label);
  if (!pattern->recurrent()) return what;
  return what + (std::holds_alternative<SemiGradient>(method->gradient) ? ", semi-gradient" : ", exact");
}

std::string Variant::key(std::size_t repeat) const {
  return fmt::format("convolution-{}-{}-r{:02}", pattern->name, method->name, repeat);
}

Variant exact(const Pattern& p) { return {&p, &method(p.recurrent() ? "certified-95" : "none")}; }
Variant semi(const Pattern& p) { return {&p, &method("semi-95")}; }

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> list;
    for (const Pattern& p : patterns()) {
      list.push_back(exact(p));
      if (p.recurrent()) list.push_back(semi(p));
    }
    return list;
  }();
  return all;
}

std::vector<Job> convolution_jobs(const ConvolutionSettings& s) {
  const ImageSource source(s.images);
  std::vector<Job> all;
  for (const Variant& v : variants())
    for (std::size_t r = 0; r < s.repeats; ++r) all.push_back(job_of(s, source, v, r));
  return all;
}

Measured Convolved::at(const Variant& v) const {
  Measured all;
  for (std::size_t r = 0; r < settings_.repeats; ++r)
    all.add(result(v, r).at("right"), result(v, r).at("settled"), result(v, r).at("evaluations"),
            results_.seconds(v.key(r)));
  return all;
}

std::vector<double> Convolved::right(const Variant& v, const Disturbance& d) const {
  std::vector<double> all;
  for (std::size_t r = 0; r < settings_.repeats; ++r)
    all.push_back(result(v, r).at("disturbed").at(std::string(d.name)).at("right").get<double>());
  return all;
}

std::vector<double> Convolved::right(const Variant& v, std::string_view kind) const {
  std::vector<double> sum(settings_.repeats);
  double count = 0;
  for (const Disturbance& d : disturbances()) {
    if (d.kind != kind) continue;
    ++count;
    const std::vector<double> of_one = right(v, d);
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += of_one[r];
  }
  for (double& value : sum) value /= count;
  return sum;
}

std::size_t Convolved::parameters(const Variant& v) const {
  return result(v, 0).at("parameters").get<std::size_t>();
}

std::size_t Convolved::lost(const Variant& v) const {
  std::size_t sum = 0;
  for (std::size_t r = 0; r < settings_.repeats; ++r) {
    sum += result(v, r).at("lost").get<std::size_t>();
    for (const Json& one : result(v, r).at("disturbed")) sum += one.at("lost").get<std::size_t>();
  }
  return sum;
}

std::size_t Convolved::asked() const {
  return settings_.repeats * settings_.held_out * (1 + disturbances().size());
}

Claim better_claim(int number, const std::string& statement, const Estimate& difference,
                   const std::string& more) {
  return {.number = number,
          .statement = statement,
          .measured = points_text(difference) + more + " (holds if the interval lies above zero)",
          .finding = better(difference),
          .numbers = {{"difference", json(difference)}}};
}

}  // namespace irn::experiments
