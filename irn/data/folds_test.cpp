#include "irn/data/folds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint64_t> rows_of(std::size_t count) {
  std::vector<std::uint64_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = 10 + 3 * i;  // some rows of a table
  return rows;
}

// Every row is tested once, and each fold's two parts make up all rows.
void expect_partition(const std::vector<Fold>& folds, const std::vector<std::uint64_t>& rows) {
  std::vector<std::uint64_t> tested;
  for (const Fold& fold : folds) {
    std::vector<std::uint64_t> both = fold.training;
    both.insert(both.end(), fold.test.begin(), fold.test.end());
    std::sort(both.begin(), both.end());
    EXPECT_EQ(both, rows);
    EXPECT_TRUE(std::is_sorted(fold.test.begin(), fold.test.end()));
    tested.insert(tested.end(), fold.test.begin(), fold.test.end());
  }
  std::sort(tested.begin(), tested.end());
  EXPECT_EQ(tested, rows);
}

TEST(Folds, AreDealtEvenly) {
  const std::vector<std::uint64_t> rows = rows_of(23);
  const std::vector<Fold> folds = dealt_folds(rows, 5, 1);
  expect_partition(folds, rows);
  for (const Fold& fold : folds) EXPECT_TRUE(fold.test.size() == 4 || fold.test.size() == 5);
  EXPECT_EQ(dealt_folds(rows, 5, 1)[2].test, folds[2].test);
  EXPECT_NE(dealt_folds(rows, 5, 2)[2].test, folds[2].test);
}

TEST(Folds, HaveTheirShareOfEachClass) {
  const std::vector<std::uint64_t> rows = rows_of(103);
  std::vector<double> classes;
  for (std::size_t i = 0; i < rows.size(); ++i) classes.push_back(i % 10 == 0 ? 2 : i % 3 == 0 ? 1 : 0);
  for (const std::size_t count : {2, 5, 10}) {
    const std::vector<Fold> folds = dealt_folds(rows, count, 7, classes);
    expect_partition(folds, rows);
    for (const double wanted : {0.0, 1.0, 2.0}) {
      const auto all = double(std::count(classes.begin(), classes.end(), wanted));
      for (const Fold& fold : folds) {
        double here = 0;
        for (const std::uint64_t row : fold.test) here += classes[(row - 10) / 3] == wanted;
        EXPECT_NEAR(here, all / double(count), 1);
      }
    }
  }
}

TEST(Folds, KeepGroupsTogether) {
  const std::vector<std::uint64_t> rows = rows_of(60);
  std::vector<double> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) groups.push_back(double(i * i % 17));
  const std::vector<Fold> folds = group_folds(rows, 4, 3, groups);
  expect_partition(folds, rows);
  for (const Fold& fold : folds) {
    std::set<double> here, there;
    for (const std::uint64_t row : fold.test) here.insert(groups[(row - 10) / 3]);
    for (const std::uint64_t row : fold.training) there.insert(groups[(row - 10) / 3]);
    for (const double group : here) EXPECT_FALSE(there.contains(group));
  }
  EXPECT_THAT(refusal([&] { group_folds(rows, 40, 3, groups); }), HasSubstr("groups; take fewer folds"));
}

TEST(Folds, TestWhatFollowsWhatTheyLearntFrom) {
  const std::vector<std::uint64_t> rows = rows_of(22);
  std::vector<double> time;
  for (std::size_t i = 0; i < rows.size(); ++i) time.push_back(double(i * 7 % 22));
  const std::vector<Fold> folds = ordered_folds(rows, 4, time);
  ASSERT_EQ(folds.size(), 4u);
  std::size_t tested = 0;
  for (const Fold& fold : folds) {
    double last = 0, first = 1e9;
    for (const std::uint64_t row : fold.training) last = std::max(last, time[(row - 10) / 3]);
    for (const std::uint64_t row : fold.test) first = std::min(first, time[(row - 10) / 3]);
    EXPECT_LT(last, first);
    EXPECT_EQ(double(fold.training.size()), first) << "all that lies before";
    tested += fold.test.size();
  }
  EXPECT_EQ(tested, 22u - folds[0].training.size());
}

TEST(Folds, MayBeOneForEachRow) {
  const std::vector<std::uint64_t> rows = rows_of(5);
  const std::vector<Fold> folds = leave_one_out(rows);
  expect_partition(folds, rows);
  EXPECT_EQ(folds.size(), 5u);
}

TEST(Folds, ThatCannotBeAreRefused) {
  const std::vector<std::uint64_t> rows = rows_of(3);
  EXPECT_THAT(refusal([&] { dealt_folds(rows, 4, 0); }), HasSubstr("4 folds of only 3 rows"));
  EXPECT_THAT(refusal([&] { dealt_folds(rows, 1, 0); }), HasSubstr("two folds"));
}

}  // namespace
}  // namespace irn
