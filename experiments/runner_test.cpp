// If a job or the device fails, all others stop soon, and finished results are kept.
#include "experiments/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "irn/base/file.h"
#include "tests/support/refusal.h"

namespace irn::experiments {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

class Runner : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  bool is_kept(const std::string& key) const { return fs::exists(folder_ / "results" / (key + ".json")); }
  void wait_for_quick_job() const {
    while (!is_kept("quick")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Far longer than a test may take, unless it is stopped.
  static Json work_long(const Watch& watch) {
    for (const auto end = Clock::now() + std::chrono::minutes(5); Clock::now() < end;
         std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      watch.check();
    return "nobody stopped it";
  }
  static Json quick(const Watch&) { return "done"; }
  // Its device takes the job "batch".
  static Campaign campaign_of(std::vector<BoundPart> parts, decltype(DeviceBatch::run) device) {
    Campaign campaign{.command = "irn test",
                      .options = {},
                      .title = {},
                      .subtitle = {},
                      .claimed_by = {},
                      .settings = {},
                      .json = {{"seed", 1}}};
    campaign.parts = std::move(parts);
    campaign.batch = {.takes = [](const std::string& key) { return key == "batch"; },
                      .run = std::move(device)};
    campaign.device = "abacus, 7 beads";
    return campaign;
  }
  void run_parts(const Campaign& campaign, const std::vector<std::string>& parts = {}) const {
    const std::atomic<bool> stop = false;
    run(campaign, {.folder = folder_, .parts = parts, .threads = 2}, stop);
  }
  // The message of a run with a quick job and another for its two threads, and one for its device.
  std::string said(const std::function<Json(const Watch&)>& other,
                   const std::function<void(const Watch&)>& device) {
    const Campaign campaign =
        campaign_of({{"part", "Part", {{"quick", 2, quick}, {"other", 1, other}, {"batch", 1, quick}}, {}}},
                    [&](const std::vector<std::string>&, const Watch& watch, const Keep&) { device(watch); });
    return refusal([&] { run_parts(campaign); });
  }
  std::string machine() const {
    return Json::parse(read_file(folder_ / "run.json")).at("machine").get<std::string>();
  }

  const fs::path folder_ = fs::temp_directory_path() / ("irn-runner-" + std::to_string(::getpid()));
};

TEST_F(Runner, StopsTheThreadsWhereTheDeviceFails) {
  const auto fails = [&](const Watch&) {
    wait_for_quick_job();
    throw Error("the device failed");
  };
  EXPECT_EQ(said(work_long, fails), "the device failed");
  EXPECT_TRUE(is_kept("quick"));
  EXPECT_FALSE(is_kept("other"));
}

TEST_F(Runner, StopsTheDeviceWhereAJobFails) {
  const auto fails = [&](const Watch&) -> Json {
    wait_for_quick_job();
    throw Error("the job failed");
  };
  EXPECT_EQ(said(fails, work_long), "the job failed");
  EXPECT_TRUE(is_kept("quick"));
  EXPECT_FALSE(is_kept("batch"));
}

// A device may be requested and have nothing to do.
TEST_F(Runner, RecordsTheDeviceOnlyWhereItComputed) {
  const auto nothing = [](const Results&) { return PartReport{}; };
  const Campaign campaign = campaign_of(
      {{"here", "Here", {{"quick", 1, quick}}, nothing}, {"there", "There", {{"batch", 1, quick}}, nothing}},
      [](const std::vector<std::string>& keys, const Watch&, const Keep& keep) {
        for (const std::string& key : keys) keep(key, "done", 0.1);
      });
  run_parts(campaign, {"here"});
  EXPECT_THAT(machine(), StartsWith("2 threads of "));
  fs::remove_all(folder_);
  run_parts(campaign, {"here", "there"});
  EXPECT_THAT(machine(), StartsWith("abacus, 7 beads, and 2 threads of "));
}

}  // namespace
}  // namespace irn::experiments
