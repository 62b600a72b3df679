#include "irn/kernels/build_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/kernels/targets_testing-inl.h"

namespace irn {
namespace {

// in_use is what the dispatcher takes when it is free to choose.
TEST(BuildFacts, TheInstructionSetInUseIsTheBestOfThoseThatRunHere) {
  const BuildFacts facts = build_facts();
  std::vector<std::string> runnable;
  kernels::for_each_target([&](const char* name) { runnable.emplace_back(name); });
  ASSERT_FALSE(runnable.empty());
  EXPECT_EQ(facts.in_use, runnable.front());
  EXPECT_THAT(facts.compiled, ::testing::IsSupersetOf(runnable));
  RecordProperty("instruction_set", facts.in_use);
  std::cout << "kernels of " << facts.processor << " run " << facts.in_use << "\n";
}

#if HWY_ARCH_ARM_A64
TEST(BuildFacts, ArmRunsNeon) { EXPECT_EQ(build_facts().in_use, "NEON"); }
#endif

}  // namespace
}  // namespace irn
