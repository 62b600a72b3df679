// Where a job or the device fails, all others stop soon, and what is done is kept.
#include "experiments/runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/support/refusal.h"

namespace irn::experiments {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class Runner : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  bool is_kept(const std::string& key) const { return fs::exists(folder_ / "results" / (key + ".json")); }
  void wait_for_quick_job() const {
    while (!is_kept("quick")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Far more than a test may take, unless it is stopped.
  static Json work_long(const Watch& watch) {
    for (const auto end = Clock::now() + std::chrono::minutes(5); Clock::now() < end;
         std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      watch.check();
    return "nobody stopped it";
  }
  // What a run says that has a quick job and another for its two threads, and one for its device.
  std::string said(const std::function<Json(const Watch&)>& other,
                   const std::function<void(const Watch&)>& device) {
    const auto quick = [](const Watch&) { return Json("done"); };
    Campaign campaign{.command = "irn test",
                      .options = {},
                      .title = {},
                      .subtitle = {},
                      .claimed_by = {},
                      .settings = {},
                      .json = {{"seed", 1}}};
    campaign.parts = {{"part", "Part", {{"quick", 2, quick}, {"other", 1, other}, {"batch", 1, quick}}, {}}};
    campaign.batch = {
        .takes = [](const std::string& key) { return key == "batch"; },
        .run = [&](const std::vector<std::string>&, const Watch& watch, const Keep&) { device(watch); }};
    const std::atomic<bool> stop = false;
    return refusal([&] { run(campaign, {.folder = folder_, .parts = {}, .threads = 2}, stop); });
  }

 private:
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

}  // namespace
}  // namespace irn::experiments
