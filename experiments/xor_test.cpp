#include "experiments/small_parts_testing.h"
#include "experiments/xor_results.h"
#include "experiments/xor_training.h"
#include "irn/data/logic_gates.h"

namespace irn::experiments {
namespace {

Protocol small_protocol() {
  Protocol p = Protocol::quick();
  p.xor_seeds = 20;
  p.xor_steps = 1500;
  return p;
}

TEST(XorPart, FeedForwardNeverAndDefaultAlways) {
  const PartReport report = report_of(xor_part(), small_protocol());
  expect_drawable(report);
  EXPECT_EQ(claim(report, 4).finding, Finding::holds);
  const Json& standard = claim(report, 2).numbers.at("default");
  EXPECT_EQ(standard.at("solved_at_end"), standard.at("seeds"));
  EXPECT_EQ(report.claims.size(), 4u);
  EXPECT_EQ(report.tables[0].rows.size(), xor_variants().size());
}

TEST(XorPart, KeysAreUniqueAndJobsStopWhenTold) {
  Protocol p = small_protocol();
  p.xor_seeds = 120;
  std::vector<std::string> keys;
  for (const Job& job : xor_part().jobs(p)) keys.push_back(job.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  EXPECT_NE(std::find(keys.begin(), keys.end(), "xor-exact-0002"), keys.end());
  expect_stops(xor_part(), p);
}

// (a, b, gate) separates XOR by a threshold if and only if integer weights up to 2 do: enough for three bits.
bool separates_xor(unsigned gate) {
  for (int wa = -2; wa <= 2; ++wa)
    for (int wb = -2; wb <= 2; ++wb)
      for (int wg = -2; wg <= 2; ++wg)
        for (int t = -4; t <= 4; ++t) {
          unsigned table = 0;
          for (unsigned i = 0; i < 4; ++i) {
            const int drive = wa * int(i >> 1) + wb * int(i & 1) + wg * int(gate >> i & 1u);
            table |= unsigned(drive > t) << i;
          }
          if (table == truth_table("XOR")) return true;
        }
  return false;
}

TEST(IsHelper, AGateThatMakesXorLinearlySeparable) {
  for (unsigned gate = 0; gate < 16; ++gate) {
    const bool xor_itself = gate_name(gate) == "XOR" || gate_name(gate) == "XNOR";
    EXPECT_EQ(is_helper(gate) || xor_itself, separates_xor(gate)) << gate_name(gate);
  }
}

TEST(XorAnswer, SolvedNeedsAllFourSettledAndNear) {
  XorAnswer answer{.y1 = {0.1, 0.9, 0.81, 0.19}, .y2 = {0.9, 0.1, 0.4, 0.2}, .settled = 4};
  EXPECT_TRUE(answer.solved());
  EXPECT_EQ(gate_name(answer.gate()), "NOR");
  EXPECT_NEAR(answer.error(), (0.01 + 0.01 + 0.19 * 0.19 + 0.19 * 0.19) / 4, 1e-12);
  answer.y1[2] = 0.79;
  EXPECT_FALSE(answer.solved());
  answer.y1[2] = 0.81;
  answer.settled = 3;
  EXPECT_FALSE(answer.solved());
  EXPECT_TRUE(std::isnan(answer.error()));
}

TEST(TrainXor, IsAFunctionOfItsStart) {
  const std::atomic<bool> stop = false;
  const XorVariant& exact = xor_variants()[0];
  const XorRecord a = train_xor(exact, 5, 300, 0.01, Watch(stop)),
                  b = train_xor(exact, 5, 300, 0.01, Watch(stop));
  EXPECT_EQ(a.errors, b.errors);
  EXPECT_EQ(a.errors.size(), 31u);
  EXPECT_NE(a.errors, train_xor(exact, 6, 300, 0.01, Watch(stop)).errors);
}

}  // namespace
}  // namespace irn::experiments
