#include "experiments/settling/table_results.h"

#include <fmt/format.h>

#include "experiments/small_parts.h"

namespace irn::experiments {

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const GeneratedTable& table : generated_tables())
    for (const Activation f : table_activations) all.push_back({&table, f});
  return all;
}

template <class Visit>
void Trained::each(const Case& c, const Method& m, const Visit& visit) const {
  for (std::size_t r = 0; r < settings_.repeats; ++r) {
    const std::string key = TableRun{c.table, c.activation, &m, r}.key();
    visit(results_.at(key), results_.seconds(key));
  }
}

Measured Trained::at(const Case& c, const Method& m) const {
  Measured all;
  each(c, m, [&](const Json& run, double seconds) {
    all.add(number(run.at("right")), number(run.at("settled")), number(run.at("evaluations")), seconds);
  });
  return all;
}

Measured Trained::overall(const Method& m) const {
  std::vector<Measured> each_case;
  for (const Case& c : cases()) each_case.push_back(at(c, m));
  const auto mean_of = [&](std::vector<double> Measured::* what, std::size_t repeat) {
    std::vector<double> values;
    for (const Measured& one : each_case) values.push_back((one.*what)[repeat]);
    return mean(values);
  };
  Measured all;
  for (std::size_t r = 0; r < settings_.repeats; ++r)
    all.add(mean_of(&Measured::value, r), mean_of(&Measured::settled, r), mean_of(&Measured::evaluations, r),
            mean_of(&Measured::seconds, r));
  return all;
}

std::size_t Trained::lost(const Case& c, const Method& m) const {
  std::size_t rows = 0;
  each(c, m, [&](const Json& run, double) { rows += run.at("lost").get<std::size_t>(); });
  return rows;
}

std::size_t Trained::lost(const Method& m) const {
  std::size_t rows = 0;
  for (const Case& c : cases()) rows += lost(c, m);
  return rows;
}

double Trained::settled_last(const Case& c, const Method& m) const {
  std::vector<double> shares;
  each(c, m, [&](const Json& run, double) { shares.push_back(number(run.at("settled_last"))); });
  return mean(shares);
}

std::string Comparison::words() const {
  return fmt::format("{} in the mean of the {} cases; certainly (95 %) more in {}, less in {}",
                     points_text(overall), cases().size(), better, worse);
}

Comparison compare(const Trained& trained, std::string_view a, std::string_view b) {
  const Method &first = method(a), &second = method(b);
  Comparison result{.overall =
                        paired_difference(trained.overall(first).value, trained.overall(second).value)};
  for (const Case& c : cases()) {
    const Estimate gap = paired_difference(trained.at(c, first).value, trained.at(c, second).value);
    result.better += gap.low() > 0, result.worse += gap.high() < 0;
  }
  return result;
}

}  // namespace irn::experiments
