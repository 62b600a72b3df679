// Mistakes of the caller give one line of irn::Error that names the thing and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "irn/data/oscillator.h"
#include "irn/data/sample_table.h"
#include "irn/equilibrium/cpu_settler.h"
#include "irn/equilibrium/problem.h"
#include "tests/support/refusal.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Problem halves(std::size_t n) {
  return {.size = n, .map = [](std::size_t, auto z, auto f) {
            for (std::size_t i = 0; i < z.size(); ++i) f[i] = 0.5 * z[i];
          }};
}
std::string refusal_of_problem(const Problem& problem, const SettleOptions& options = {}) {
  return refusal([&] { settle(problem, 1, options); });
}
std::string refusal_of_solver(const char* text) {
  return refusal([&] { from_text<Solver>(text); });
}
template <class T>
std::string refusal_of_options(const SettleOptions& options) {
  ThreadPool threads(1);
  const NetworkOf<T> network(from_text<Architecture>("3-4-2"), Start::paper, 1);
  return refusal([&] { CpuSettler<T>(network, options, threads); });
}

TEST(SolverText, EverySolverIsReadBackAsItself) {
  for (const Solver& solver : patient_solvers())
    EXPECT_EQ(to_text(from_text<Solver>(to_text(solver))), to_text(solver));
  EXPECT_EQ(to_text(from_text<Solver>("rk4:steps=400,step=0.5")), "rk4:step=0.5,steps=400");
}

TEST(SolverText, UnknownNamesAreRefusedWithASuggestion) {
  EXPECT_THAT(refusal_of_solver("newtn"), HasSubstr("did you mean \"newton\""));
  EXPECT_THAT(refusal_of_solver("rosenbrok"), HasSubstr("did you mean \"rosenbrock\""));
  EXPECT_THAT(refusal_of_solver("rk4:stps=3"), AllOf(HasSubstr("rk4"), HasSubstr("did you mean \"steps\"")));
  EXPECT_THAT(refusal_of_solver("auto:steps=3"), HasSubstr("takes no settings"));
  EXPECT_THAT(refusal_of_solver(""), HasSubstr("name is missing"));
}

// Every field of every solver at zero and, if possible, below.
TEST(SolverText, ValuesThatMakeNoSenseAreRefusedByName) {
  for_each_choice<Solver>([](const auto& options) {
    for (const FieldText& field : fields_of(options)) {
      const std::string text = std::string(options.name) + ":" + field.key + "=";
      // Anderson without memory is the damped iteration; launch and shortcut may be zero.
      if ((std::string(options.name) == "anderson" && field.key == "memory") || field.key == "launch" ||
          field.key == "shortcut")
        EXPECT_EQ(refusal_of_solver((text + "0").c_str()), "") << text;
      else
        EXPECT_THAT(refusal_of_solver((text + "0").c_str()),
                    AllOf(HasSubstr(options.name), HasSubstr(field.key)))
            << text;
      EXPECT_THAT(refusal_of_solver((text + "-1").c_str()),
                  AllOf(HasSubstr(options.name), HasSubstr(field.key)))
          << text;
      EXPECT_NE(refusal_of_solver((text + "nan").c_str()), "") << text;
    }
  });
  EXPECT_THAT(refusal_of_solver("broyden:memory=100000"), HasSubstr("at most 1000"));
}

// A float counts exactly up to 16,777,216.
TEST(SolverText, MoreStepsThanCanBeCountedAreRefused) {
  EXPECT_THAT(refusal_of_solver("fixed-point:steps=17000000"),
              AllOf(HasSubstr("steps"), HasSubstr("1000000")));
  EXPECT_EQ(refusal_of_solver("fixed-point:steps=1000000"), "");
}

TEST(SettleOptions, SolversMadeInCodeAreCheckedToo) {
  EXPECT_THAT(refusal_of_options<double>({.solver = RungeKutta4{.steps = 0}}),
              AllOf(HasSubstr("rk4"), HasSubstr("steps")));
  EXPECT_THAT(refusal_of_options<double>({.solver = FixedPoint{.damping = -1}}),
              AllOf(HasSubstr("fixed-point"), HasSubstr("damping")));
  EXPECT_THAT(refusal_of_problem(halves(1), {.solver = Newton{.steps = 0}}),
              AllOf(HasSubstr("newton"), HasSubstr("steps")));
}

TEST(SettleOptions, AToleranceBelowThePrecisionIsRefusedWithTheLeastThatCanBeReached) {
  EXPECT_THAT(refusal_of_options<float>({.tolerance = 1e-8}),
              AllOf(HasSubstr("1e-08"), HasSubstr("float"), HasSubstr("double")));
  EXPECT_THAT(refusal_of_options<double>({.tolerance = 1e-17}),
              AllOf(HasSubstr("1e-17"), HasSubstr("at least")));
  EXPECT_NE(refusal_of_options<double>({.tolerance = -1}), "");
  EXPECT_NE(refusal_of_options<double>({.tolerance = std::nan("")}), "");
  EXPECT_THAT(refusal_of_options<double>({.tolerance = HUGE_VAL}), HasSubstr("no bound"));
  EXPECT_THAT(refusal_of_options<double>({.tolerance = 1}), HasSubstr("no bound"));
  EXPECT_EQ(refusal_of_options<float>({.tolerance = least_tolerance<float>()}), "");
}

TEST(SettleOptions, ZeroToleranceTakesTheDefaultOfThePrecision) {
  ThreadPool threads(1);
  const Architecture architecture = from_text<Architecture>("3-4-2");
  EXPECT_EQ(CpuSettler<float>(NetworkOf<float>(architecture, Start::paper, 1), {}, threads).tolerance(),
            1e-5);
  EXPECT_EQ(CpuSettler<double>(NetworkOf<double>(architecture, Start::paper, 1), {}, threads).tolerance(),
            1e-8);
}

TEST(SettleOptions, AutoChoosesBySize) {
  ThreadPool threads(1);
  const NetworkOf<float> small(from_text<Architecture>("3-20-2"), Start::paper, 1),
      wide(from_text<Architecture>("3-64-2"), Start::paper, 1);
  EXPECT_EQ(name_of(CpuSettler<float>(small, {}, threads).solver()), "rosenbrock");
  EXPECT_EQ(name_of(CpuSettler<float>(wide, {}, threads).solver()), "rosenbrock-krylov");
}

TEST(Problem, WithoutUnknownsOrMapIsRefused) {
  EXPECT_THAT(refusal_of_problem(halves(0)), HasSubstr("at least one unknown"));
  EXPECT_THAT(refusal_of_problem({.size = 2}), HasSubstr("map"));
}

TEST(Problem, TooLargeForADenseFactorisationIsRefusedWithTheAlternative) {
  for (const Solver& solver : all_solvers()) {
    const bool dense = std::visit([](const auto& options) { return needs_factors(options); }, solver);
    if (!dense) continue;
    EXPECT_THAT(refusal_of_problem(halves(3000), {.solver = solver}),
                AllOf(HasSubstr("3000"), HasSubstr("newton-krylov")));
  }
  EXPECT_EQ(refusal_of_problem(halves(3000)), "");
}

// 2^61 doubles are 2^64 bytes, which overflow to zero, and so do eight times 2^61 numbers.
TEST(Problem, LargerThanMemoryIsRefusedWithItsSize) {
  const auto matrix = [](std::size_t, auto, auto) {};
  for (const int bits : {46, 60, 61, 63})
    for (const std::size_t count : {1u, 8u})
      for (const bool jacobian : {false, true}) {
        Problem problem = halves(std::size_t{1} << bits);
        if (jacobian) problem.jacobian = matrix;
        EXPECT_THAT(refusal([&] { settle(problem, count); }),
                    AllOf(HasSubstr("not enough memory"), HasSubstr(std::to_string(problem.size))));
      }
  EXPECT_THAT(refusal([] { settle(halves(8), std::size_t{1} << 61); }),
              HasSubstr("2305843009213693952 states"));
  EXPECT_EQ(settle(halves(std::size_t{1} << 61), 0).size(), 0u);
}

TEST(Settler, SamplesOfTheWrongWidthAreRefusedWithBothNumbers) {
  ThreadPool threads(1);
  const NetworkOf<double> network(from_text<Architecture>("3-4-2"), Start::paper, 1);
  CpuSettler<double> settler(network, {}, threads);
  const SampleTable<double> narrow(2, 0, {1, 2, 3, 4}, {});
  EXPECT_THAT(refusal([&] { settler.settle(narrow); }),
              AllOf(HasSubstr("2 inputs"), HasSubstr("3-4-2"), HasSubstr("takes 3")));
}

TEST(Settler, AnIndexBeyondTheSamplesIsRefusedOnAnyThread) {
  const NetworkOf<double> network(from_text<Architecture>("1-2"), Start::paper, 1);
  const SampleTable<double> samples(1, 0, {1, 2, 3, 4}, {});
  for (const std::size_t count : {1u, 2u}) {
    ThreadPool threads(count);
    CpuSettler<double> settler(network, {}, threads);
    Equilibria<double> out;
    settler.settle(samples, std::vector<std::uint64_t>{0, 1}, out);
    EXPECT_THAT(refusal([&] { settler.settle(samples, std::vector<std::uint64_t>{0, 4}, out); }),
                HasSubstr("4"));
    EXPECT_FALSE(out.settled(1)) << "nothing old is left";
    settler.settle(samples, std::vector<std::uint64_t>{0, 3}, out);
    EXPECT_TRUE(out.settled(0) && out.settled(1)) << "and the next call works";
  }
}

// The bad index appears while other lanes are busy; the next call must not see these.
TEST(Settler, NothingOfARefusedCallIsLeftForTheNext) {
  const NetworkOf<double> network(from_text<Architecture>("1-9/full"), Start::paper, 1);
  const SampleTable<double> samples(1, 0, std::vector<double>(100, 0.5), {});
  std::vector<std::uint64_t> index(90, 7);
  index[60] = 100;
  ThreadPool threads(1);
  for (const Solver& solver : all_solvers()) {
    CpuSettler<double> settler(network, {solver}, threads), fresh(network, {solver}, threads);
    Equilibria<double> out, want;
    EXPECT_NE(refusal([&] { settler.settle(samples, index, out); }), "");
    settler.settle(samples, std::vector<std::uint64_t>{3}, out);
    fresh.settle(samples, std::vector<std::uint64_t>{3}, want);
    EXPECT_EQ(out.states, want.states) << to_text(solver);
    EXPECT_EQ(out.verdicts[0].evaluations, want.verdicts[0].evaluations) << to_text(solver);
  }
}

TEST(Settler, PartsBeyondTheSamplesAreRefusedAlsoWhereTheirNumbersWrapAround) {
  ThreadPool threads(2);
  CpuSettler<double> settler(NetworkOf<double>(from_text<Architecture>("1-2"), Start::paper, 1), {}, threads);
  const SampleTable<double> samples(1, 0, {1, 2, 3}, {});
  std::atomic<int> visits = 0;
  const auto count_visit = [&](std::size_t, const Equilibria<double>&, std::size_t) { ++visits; };
  for (const auto& [first, count] :
       {std::pair<std::size_t, std::size_t>{0, 4}, {2, 2}, {4, 0}, {SIZE_MAX, 2}})
    EXPECT_THAT(refusal([&] { settler.settle_parts(samples, first, count, 1, count_visit); }),
                HasSubstr("there are 3"));
  EXPECT_EQ(visits, 0);
  settler.settle_parts(samples, 3, 0, 1, count_visit);
  settler.settle_parts(samples, 1, 2, SIZE_MAX, count_visit);
  EXPECT_EQ(visits, 1) << "one part of more than all samples is one of all";
}

TEST(Settler, MoreSamplesThanFitIntoMemoryAreRefused) {
  ThreadPool threads(1);
  CpuSettler<float> settler(NetworkOf<float>(from_text<Architecture>("100-2"), Start::paper, 1), {}, threads);
  EXPECT_THAT(refusal([&] { settler.settle(Oscillator<float>({.count = std::uint64_t{1} << 61})); }),
              AllOf(HasSubstr("not enough memory"), HasSubstr("2305843009213693952 states of 2 numbers")));
}

TEST(Settler, PartsOfNoSamplesAreRefused) {
  ThreadPool threads(2);
  CpuSettler<double> settler(NetworkOf<double>(from_text<Architecture>("1-2"), Start::paper, 1), {}, threads);
  EXPECT_THAT(refusal([&] {
                settler.settle_parts(SampleTable<double>(1, 0, {1}, {}), 0, 1, 0,
                                     [](std::size_t, const Equilibria<double>&, std::size_t) {});
              }),
              HasSubstr("at least one"));
}

TEST(Settler, NoSamplesHaveNoAnswers) {
  ThreadPool threads(2);
  CpuSettler<double> settler(NetworkOf<double>(from_text<Architecture>("1-2"), Start::paper, 1), {}, threads);
  Equilibria<double> out;
  settler.settle(SampleTable<double>(1, 0, {1}, {}), {}, out);
  EXPECT_EQ(out.size(), 0u);
  EXPECT_EQ(out.summary().settled_share(), 1.0);
}

}  // namespace
}  // namespace irn
