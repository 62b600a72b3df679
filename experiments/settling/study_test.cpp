// The study's parts from their jobs to their reports, at small scale.
#include "experiments/settling/generated_tables.h"
#include "experiments/settling/measured.h"
#include "experiments/settling/parts.h"
#include "experiments/settling/table_training.h"
#include "experiments/small_parts_testing.h"
#include "experiments/studies.h"
#include "irn/base/error.h"

namespace irn::experiments {
namespace {

SettlingSettings small_settings() {
  SettlingSettings s = SettlingSettings::quick();
  s.repeats = s.oscillator_repeats = 2;
  s.rows = 100, s.held_out = 100, s.width = 12, s.epochs = 4, s.compared_rows = 20;
  s.oscillator_epochs = 4, s.oscillator_held_out = 200;
  s.xor_starts = 12, s.xor_steps = 2000;
  return s;
}

TEST(SettlingStudy, CertifiedNetworksSettleAndSolversAgree) {
  const SettlingSettings s = small_settings();
  const PartReport tables = report_of(held_tables_part(), s), solvers = report_of(held_solvers_part(), s);
  expect_drawable(tables);
  EXPECT_EQ(tables.claims.size(), 12u);
  EXPECT_EQ(claim(tables, 1).finding, Finding::holds);
  EXPECT_EQ(tables.tables[0].rows.size(), methods().size());
  EXPECT_EQ(claim(solvers, 9).finding, Finding::holds);
  EXPECT_GT(claim(solvers, 9).numbers.at("compared").get<std::size_t>(), 1000u);
}

TEST(SettlingStudy, EveryCertifiedStartKeepsXor) {
  SettlingSettings s = small_settings();
  s.xor_starts = 30, s.xor_steps = 4000;  // free training loses some of these starts
  const PartReport xor_report = report_of(held_xor_part(), s);
  EXPECT_EQ(claim(xor_report, 17).finding, Finding::holds) << claim(xor_report, 17).measured;
  EXPECT_NE(claim(xor_report, 18).finding, Finding::fails) << claim(xor_report, 18).measured;
}

TEST(SettlingStudy, TheOscillatorSettles) {
  const PartReport report = report_of(held_oscillator_part(), small_settings());
  expect_drawable(report);
  EXPECT_EQ(report.tables[0].rows.size(), methods().size());
  EXPECT_EQ(claim(report, 12).finding, Finding::holds) << claim(report, 12).measured;
  const PartReport sweep = report_of(held_sweep_part(), small_settings());
  expect_drawable(sweep);
  EXPECT_EQ(claim(sweep, 16).finding, Finding::holds) << claim(sweep, 16).measured;
}

TEST(SettlingStudy, KeysOfAPartAreUniqueAndJobsStopWhenTold) {
  for (const SettlingPart& part :
       {held_tables_part(), held_oscillator_part(), held_sweep_part(), held_xor_part()}) {
    std::vector<std::string> keys;
    for (const Job& job : part.jobs(small_settings())) keys.push_back(job.key);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << part.name;
  }
  expect_stops(held_xor_part(), small_settings());
  const TableRun run{&generated_tables()[0], Activation::relu, &method("free"), 0};
  const std::atomic<bool> stop = true;
  EXPECT_THROW(train_table(small_settings(), run, Watch(stop)), Interrupted);
}

TEST(Measured, WhatIsNoNumberDecidesNothing) {
  const Estimate none = estimate(std::vector(2, std::nan("")));
  EXPECT_EQ(better(none), Finding::undecided);
  EXPECT_EQ(no_worse(none, 0.1), Finding::undecided);
  const auto around = [](double mean) { return Estimate{.mean = mean, .half_width = 0.05}; };
  EXPECT_EQ(no_worse(around(0), 0.1), Finding::holds);
  EXPECT_EQ(no_worse(around(-0.05), 0.1), Finding::undecided);  // up to 0: it may cost nothing
  EXPECT_EQ(no_worse(around(-0.06), 0.1), Finding::fails);
}

TEST(TrainTable, IsAFunctionOfItsRun) {
  const std::atomic<bool> stop = false;
  TableRun run{&generated_tables()[1], Activation::tanh, &method("certified-95"), 1};
  const Json a = train_table(small_settings(), run, Watch(stop));
  EXPECT_EQ(a, train_table(small_settings(), run, Watch(stop)));
  run.repeat = 0;
  EXPECT_NE(a.at("right"), train_table(small_settings(), run, Watch(stop)).at("right"));
}

TEST(GeneratedTables, HaveClassesOfLikeSizeAndInputsThatVaryByAboutOne) {
  for (const GeneratedTable& table : generated_tables()) {
    const std::size_t count = 3000;
    const SampleTable<float> rows = table.rows(7, 0, count), later = table.rows(7, 1000, 10);
    EXPECT_EQ(rows.input_row(1003)[0], later.input_row(3)[0]);
    EXPECT_NE(rows.input_row(0)[0], table.rows(8, 0, 1).input_row(0)[0]);
    std::vector<double> of_class(table.classes);
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < table.classes; ++k) of_class[k] += rows.target_row(i)[k];
      for (const float x : rows.input_row(i)) squares += x * x / double(count * table.inputs);
    }
    for (const double n : of_class) EXPECT_NEAR(n * double(table.classes) / count, 1, 0.1) << table.name;
    EXPECT_NEAR(squares, 1, 0.35) << table.name;
  }
}

TEST(Studies, RefuseSettingsThatTheyDoNotHaveOrThatMakeNoSense) {
  for (const Study& study : studies()) {
    EXPECT_FALSE(study.parts.empty());
    EXPECT_THROW(study.campaign(false, {{"colour", "1"}}), Error) << study.name;
    EXPECT_THROW(study.campaign(true, {{"seed", "many"}}), Error) << study.name;
    EXPECT_EQ(study.campaign(false, {}).options, "");
    EXPECT_EQ(study.campaign(false, {{"seed", "3"}}).options, " --seed 3");
  }
  EXPECT_THROW(studies()[0].campaign(false, {{"repeats", "1"}}), Error);
  EXPECT_EQ(studies()[0].campaign(true, {}).options, " --full");
  // Its full form needs images that are not here.
  EXPECT_EQ(studies()[1].campaign(true, {{"images", "drawn"}}).options, " --full --images drawn");
}

}  // namespace
}  // namespace irn::experiments
