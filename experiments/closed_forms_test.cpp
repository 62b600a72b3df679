#include "experiments/closed_forms.h"

#include <Eigen/Dense>

#include "experiments/small_parts_testing.h"
#include "irn/base/random.h"

namespace irn::experiments {
namespace {

TEST(ClosedFormsPart, AreRight) {
  Protocol p = Protocol::quick();
  p.xor_seeds = 100;
  const PartReport report = report_of(closed_forms_part(), p);
  EXPECT_EQ(claim(report, 12).finding, Finding::holds) << claim(report, 12).measured;
  EXPECT_EQ(report.tables[0].rows.size(), closed_form_names.size() + 1);
}

TEST(ClosedFormsPart, StopsWhenTold) { expect_stops(closed_forms_part(), Protocol::quick()); }

TEST(Places, CoverEveryParameterOnce) {
  const Architecture architecture = from_text<Architecture>("3-4-2");
  std::vector<std::size_t> all;
  for (const std::string_view name : closed_form_names)
    for (const std::size_t place : places(architecture, name)) all.push_back(place);
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), architecture.parameters());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
}

TEST(Inverse, IsEigens) {
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t n = 1; n < 8; ++n) {
    Matrix a(n, n);
    const Stream stream(n);
    for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = stream.normal(i);
    const auto size = static_cast<Eigen::Index>(n);
    const Dense expected = Eigen::Map<const Dense>(a.values.data(), size, size).inverse();
    const Matrix got = inverse(a);
    EXPECT_LT((Eigen::Map<const Dense>(got.values.data(), size, size) - expected).norm(),
              1e-10 * expected.norm());
  }
}

}  // namespace
}  // namespace irn::experiments
