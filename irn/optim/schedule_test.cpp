#include "irn/optim/schedule.h"

#include <gtest/gtest.h>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

TEST(Schedule, EveryScheduleStaysBetweenZeroAndOne) {
  for_each_choice<Schedule>([](const auto& options) {
    const Schedule schedule = lasting(options, 80000);
    for (std::uint64_t step = 0; step < 200000; step += 77) {
      EXPECT_GE(rate_factor(schedule, step), 0) << options.name;
      EXPECT_LE(rate_factor(schedule, step), 1) << options.name;
    }
  });
}

TEST(Schedule, StepsDownEverySoManySteps) {
  const Schedule schedule = StepRate{.every = 10, .factor = 0.5};
  EXPECT_EQ(rate_factor(schedule, 0), 1);
  EXPECT_EQ(rate_factor(schedule, 9), 1);
  EXPECT_EQ(rate_factor(schedule, 10), 0.5);
  EXPECT_EQ(rate_factor(schedule, 35), 0.125);
}

TEST(Schedule, CosineWarmsUpFallsAndStaysAtItsEnd) {
  const Schedule schedule = CosineRate{.steps = 110, .final = 0.1, .warmup = 10};
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 0), 0.1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 9), 1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 10), 1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 60), 0.55);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 110), 0.1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 1000), 0.1);
}

TEST(Schedule, OneCycleRisesToItsPeakAndFallsToItsEnd) {
  const Schedule schedule = OneCycleRate{.steps = 100, .start = 0.1, .peak = 0.2, .final = 0.01};
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 0), 0.1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 10), 0.55);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 20), 1);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 60), 0.505);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 100), 0.01);
  EXPECT_DOUBLE_EQ(rate_factor(schedule, 1000), 0.01);
  for (std::uint64_t step = 0; step < 100; ++step)
    EXPECT_EQ(rate_factor(schedule, step) < rate_factor(schedule, step + 1), step < 20) << step;
  for (const double peak : {0.0, 1.0}) {  // never up, never down
    const Schedule one_way = OneCycleRate{.steps = 100, .peak = peak};
    for (std::uint64_t step = 0; step < 99; ++step)
      EXPECT_EQ(rate_factor(one_way, step) < rate_factor(one_way, step + 1), peak == 1) << step;
  }
}

TEST(Schedule, TextAndScheduleAreTheSameThing) {
  EXPECT_EQ(to_text(Schedule{}), "constant");
  EXPECT_EQ(to_text(from_text<Schedule>("cosine:steps=500,warmup=20")), "cosine:steps=500,warmup=20");
}

TEST(Schedule, CosineLastsAsLongAsTheTrainingUnlessItSaysHowLong) {
  EXPECT_EQ(to_text(lasting(from_text<Schedule>("cosine"), 500)), "cosine:steps=500");
  EXPECT_EQ(to_text(lasting(from_text<Schedule>("cosine:steps=80"), 500)), "cosine:steps=80");
  EXPECT_EQ(to_text(lasting(from_text<Schedule>("step:every=7"), 500)), "step:every=7");
  EXPECT_EQ(to_text(lasting(from_text<Schedule>("one-cycle"), 500)), "one-cycle:steps=500");
  EXPECT_EQ(to_text(lasting(from_text<Schedule>("one-cycle:steps=80"), 500)), "one-cycle:steps=80");
  EXPECT_EQ(to_text(from_text<Schedule>("cosine:warmup=100000")), "cosine:warmup=100000");
  EXPECT_THROW(check_schedule(lasting(from_text<Schedule>("cosine:warmup=500"), 500)), Error);
  EXPECT_THROW(check_schedule(CosineRate{}), Error) << "nobody has said how long";
}

TEST(Schedule, ValuesOutOfRangeAreRefused) {
  for (const char* text : {"cosin", "constant:x=1", "step:every=0", "step:factor=0", "step:factor=1.5",
                           "cosine:steps=10,warmup=10", "cosine:final=2", "one-cycle:peak=2",
                           "one-cycle:start=-1", "one-cycle:final=1.1"})
    EXPECT_THROW(from_text<Schedule>(text), Error) << text;
}

}  // namespace
}  // namespace irn
