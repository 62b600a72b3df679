// Blocks that are not dense: their text, their numbers and their matrix.
#include "irn/network/operator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/network/network.h"
#include "irn/network/operator_algebra.h"
#include "irn/network/own_operator.h"
#include "irn/network/packed.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

// Each neuron to the next one in a ring, all with one weight.
struct Shift : OwnOperatorOf<Shift> {
  explicit Shift(std::size_t size) : n(size) {}
  std::size_t parameters() const override { return 1; }
  template <class T>
  void multiply(const T* w, std::size_t width, const T* v, T* out) const {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t s = 0; s < width; ++s) out[(i + 1) % n * width + s] += w[0] * v[i * width + s];
  }
  template <class T>
  void multiply_transposed(const T* w, std::size_t width, const T* v, T* out) const {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t s = 0; s < width; ++s) out[i * width + s] += w[0] * v[(i + 1) % n * width + s];
  }
  template <class T>
  void add_gradient(const T*, const T* u, const T* v, T* gradient) const {
    for (std::size_t i = 0; i < n; ++i) gradient[0] += u[(i + 1) % n] * v[i];
  }
  std::size_t n;
};

void register_shift() {
  register_operator(
      "shift", [](std::size_t rows, std::size_t cols, std::size_t) -> std::shared_ptr<const OwnOperator> {
        if (rows != cols) throw Error("a shift needs as many rows as columns");
        return std::make_shared<Shift>(rows);
      });
}

std::string refusal_of(const std::string& text) {
  return refusal([&] { from_text<Architecture>(text); });
}

TEST(OperatorText, GivesItselfBack) {
  register_shift();
  for (const char* text :
       {"3-4/lateral=diagonal", "3-8-4-2/full=lowrank2", "3-3-3/none+0:1=diagonal+1:1=lowrank2+2:1=diagonal",
        "4-9-3/lateral=diagonal+0:1=lowrank2", "4-9-3/lateral=diagonal+2:2=dense", "4-9-3/none+1:1=shift",
        "4-9-9-3/none+1:1=diagonal+2:2=diagonal+2:1=diagonal"}) {
    const Architecture a = from_text<Architecture>(text);
    EXPECT_EQ(from_text<Architecture>(to_text(a)), a) << text << " became " << to_text(a);
    EXPECT_LE(to_text(a).size(), std::string_view(text).size()) << to_text(a);
  }
}

TEST(OperatorText, RefusesInOneLineWhatCannotBe) {
  EXPECT_THAT(refusal_of("3-4-2/none+1:2=diagonal"),
              AllOf(HasSubstr("1:2"), HasSubstr("2 x 4"), HasSubstr("dense")));
  EXPECT_THAT(refusal_of("3-4-2/none+1:1=lowrank9"),
              AllOf(HasSubstr("1:1"), HasSubstr("1 to 4"), HasSubstr("not 9")));
  EXPECT_THAT(refusal_of("3-4-2/none+1:1=lowrank"), AllOf(HasSubstr("1 to 4"), HasSubstr("not 0")));
  EXPECT_THAT(refusal_of("3-4-2/none+1:1=diagonal3"), AllOf(HasSubstr("diagonal"), HasSubstr("no number")));
  EXPECT_THAT(refusal_of("3-4-2/none+1:1=diagnal"),
              AllOf(HasSubstr("diagnal"), HasSubstr("did you mean \"diagonal\"")));
  EXPECT_THAT(refusal_of("3-4-2/none+1:1="), HasSubstr("expected an operator"));
  EXPECT_THAT(refusal_of("3-4=diagonal"), HasSubstr("expected '/', '+' or '-'"));
  EXPECT_THAT(refusal([] { register_operator("dense", nullptr); }), HasSubstr("irn's own"));
  EXPECT_THAT(refusal([] { register_operator("Mine 1", nullptr); }), HasSubstr("letters a to z"));
}

TEST(Operator, CountsItsNumbers) {
  EXPECT_EQ(from_text<Architecture>("3-50/none+1:1=diagonal").parameters(), 3 * 50 + 50 + 50u);
  EXPECT_EQ(from_text<Architecture>("3-50/none+1:1=lowrank4").parameters(), 3 * 50 + 4 * 100 + 50u);
}

TEST(Operator, RecurrentBlocksStartAsZeroButOneFactorOfAProductDoesNot) {
  const NetworkOf<double> network(from_text<Architecture>("3-20/lateral=lowrank3"), Start::scaled, 1);
  EXPECT_THAT(network.dense_a(), Each(0.0));
  const Block& block = network.architecture().blocks()[1];
  EXPECT_NE(network.parameters()[block.weights],
            0.0);  // R: with both zero, neither would ever have a gradient
}

TEST(Operator, ALowRankForwardBlockStartsWithTheVarianceOfADenseOne) {
  const NetworkOf<double> network(from_text<Architecture>("400-300/none+0:1=lowrank40"), Start::scaled, 7);
  double square = 0;
  for (const double w : network.dense_b()) square += w * w;
  EXPECT_NEAR(square / (400 * 300) * 400, 1.0, 0.1);
}

TEST(Operator, TheCallersOwnIsTheMatrixItMultipliesWith) {
  register_shift();
  const NetworkOf<double> network(from_text<Architecture>("1-3/none+1:1=shift"), {1, 1, 1, 0.5, 0, 0, 0});
  EXPECT_EQ(network.dense_a(), (std::vector<double>{0, 0, 0.5, 0.5, 0, 0, 0, 0.5, 0}));
}

TEST(Operator, BoundsOfRowsHoldAndAreExactForOneFactor) {
  for (const char* text :
       {"2-6/lateral", "2-6/lateral=diagonal", "2-6/lateral=lowrank2", "2-6/lateral=lowrank6"}) {
    const NetworkOf<double> network(from_text<Architecture>(text),
                                    random_numbers<double>(from_text<Architecture>(text).parameters(), 5));
    const Block& block = network.architecture().blocks()[1];
    const RowBounds bounds = row_bounds(block, network.parameters().data() + block.weights);
    const std::vector<double> a = network.dense_a();
    for (std::size_t i = 0; i < 6; ++i) {
      double others = 0;
      for (std::size_t j = 0; j < 6; ++j) others += i == j ? 0 : std::abs(a[i * 6 + j]);
      EXPECT_NEAR(bounds.diagonal[i], a[i * 6 + i], 1e-12);
      if (block.factors().size() == 1)
        EXPECT_NEAR(bounds.others[i], others, 1e-12);
      else
        EXPECT_GE(bounds.others[i], others - 1e-12);
    }
  }
}

}  // namespace
}  // namespace irn
