// For tests: runs a whole part, from its jobs to its report.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/small_parts.h"

namespace irn::experiments {

template <class Settings>
PartReport report_of(const PartOf<Settings>& part, const Settings& protocol) {
  const std::atomic<bool> stop = false;
  Results results;
  // Through text, as stored results go: values that are not finite come back as null.
  for (const Job& job : part.jobs(protocol)) results.add(job.key, Json::parse(job.run(Watch(stop)).dump()));
  return part.assemble(protocol, results);
}

inline const Claim& claim(const PartReport& report, int number) {
  const auto found = std::find_if(report.claims.begin(), report.claims.end(),
                                  [&](const Claim& c) { return c.number == number; });
  if (found == report.claims.end()) throw std::runtime_error("no claim " + std::to_string(number));
  return *found;
}

inline void expect_drawable(const PartReport& report) {
  for (const report::Figure& figure : report.figures) {
    EXPECT_FALSE(figure.caption.empty());
    EXPECT_NO_THROW(report::svg(figure)) << figure.name;
  }
}

template <class Settings>
void expect_stops(const PartOf<Settings>& part, const Settings& protocol) {
  const std::atomic<bool> stop = true;
  for (const Job& job : part.jobs(protocol)) EXPECT_THROW(job.run(Watch(stop)), Interrupted) << job.key;
}

}  // namespace irn::experiments
