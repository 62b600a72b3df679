#include "irn/network/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "irn/base/random.h"
#include "tests/support/architectures.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal_of(const std::string& text) {
  return refusal([&] { from_text<Architecture>(text); });
}

// Random blocks: a coin decides about each possible connection.
Architecture random_architecture(std::uint64_t seed) {
  const Stream stream(seed);
  std::uint64_t next = 0;
  std::vector<Layer> layers(1 + stream.below(next++, 5));
  for (Layer& layer : layers) {
    layer.size = 1 + stream.below(next++, 300);
    layer.activation = static_cast<Activation>(stream.below(next++, activation_names.size()));
  }
  const auto recurrence = static_cast<Recurrence>(stream.below(next++, recurrence_names.size()));
  Architecture result(1 + stream.below(next++, 300), layers, recurrence);
  for (std::size_t to = 1; to <= layers.size(); ++to)
    for (std::size_t from = 0; from <= layers.size(); ++from)
      if (stream.below(next++, 3) == 0)
        result.connected(from, to) ? result.disconnect(from, to) : result.connect(from, to);
  return result;
}

TEST(ArchitectureText, IsReadBackAsTheSameArchitecture) {
  for (const Architecture& a : all_architectures())
    EXPECT_EQ(from_text<Architecture>(to_text(a)), a) << to_text(a);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Architecture a = random_architecture(seed);
    ASSERT_EQ(from_text<Architecture>(to_text(a)), a) << to_text(a);
    ASSERT_EQ(to_text(from_text<Architecture>(to_text(a))), to_text(a));
  }
}

TEST(ArchitectureText, TheEasyCaseIsShort) {
  for (const char* text :
       {"100-5-2", "100-5-2/none", "784-512relu-10identity/lateral", "100-20-8-2/feedback+0:3"})
    EXPECT_EQ(to_text(from_text<Architecture>(text)), text);
  EXPECT_EQ(to_text(from_text<Architecture>("100-5sigmoid-2/full")), "100-5-2");
  EXPECT_EQ(to_text(Architecture(100, {{5}, {2}})), "100-5-2");
}

TEST(ArchitectureText, TheDocumentedExamplesMeanWhatTheDocumentationSays) {
  const Architecture paper = from_text<Architecture>("100-5-2");
  EXPECT_EQ(paper.blocks().size(), 5u);
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}})
    EXPECT_TRUE(paper.connected(from, to));
  EXPECT_FALSE(from_text<Architecture>("100-5-2/none").recurrent());
  const Architecture wide = from_text<Architecture>("784-512relu-10identity/lateral");
  EXPECT_EQ(wide.layers()[0], (Layer{512, Activation::relu}));
  EXPECT_EQ(wide.layers()[1], (Layer{10, Activation::identity}));
  EXPECT_FALSE(wide.connected(2, 1));
  const Architecture skip = from_text<Architecture>("100-20-8-2/feedback+0:3-2:1");
  EXPECT_TRUE(skip.connected(0, 3) && skip.connected(3, 2));
  EXPECT_FALSE(skip.connected(2, 1) || skip.connected(1, 1));
}

TEST(ArchitectureText, ConnectionsGoWithOrWithoutTheWordForTheRecurrence) {
  for (const auto& [text, same] : {std::pair{"1-1-1-1:2", "1-1-1/full-1:2"},
                                   {"3-4-1:1", "3-4/full-1:1"},
                                   {"3-4tanh-2-2:1+0:2-1:1", "3-4tanh-2/full-2:1+0:2-1:1"}})
    EXPECT_EQ(from_text<Architecture>(text), from_text<Architecture>(same)) << text;
  EXPECT_THAT(refusal_of("3-4-2-10:2"), HasSubstr("10:2 names a layer that does not exist"));
}

struct BadText {
  const char* text;
  const char* problem;
};

// Texts that are not networks, and what their message must say.
const BadText bad_texts[] = {
    {"", "number of inputs"},
    {"5", "at least one layer"},
    {"3 - 5", "size of a layer at ' - 5'"},
    {"3.5-2", "size of a layer at '.5-2'"},
    {"3/none", "size of a layer at '/none'"},
    {"3-1:1", "size of a layer at '-1:1'"},
    {"3-4-1:1/none", "at '/none'"},
    {"3-4-1:2", "1:2 names a layer that does not exist"},
    {"3-4-:1", "number of a layer at ':1'"},
    {"0-3", "at least one input"},
    {"3-0-2", "layer 1 is empty"},
    {"3-2-0", "layer 2 is empty"},
    {"a-b", "number of inputs at 'a-b'"},
    {"3-b", "size of a layer at 'b'"},
    {"3-", "size of a layer"},
    {"3--4", "size of a layer"},
    {"-3-4", "number of inputs"},
    {" 3-4", "number of inputs"},
    {"3-4 ", "at ' '"},
    {"3-4relux", "did you mean \"relu\""},
    {"3-4RELU", "at 'RELU'"},
    {"3-4/ful", "did you mean \"full\""},
    {"3-4/", "unknown recurrence"},
    {"3-4/none/full", "at '/full'"},
    {"3-4+9:1", "9:1 names a layer that does not exist"},
    {"3-4+1:2", "1:2 names a layer that does not exist"},
    {"3-4+1:0", "1:0 names a layer that does not exist"},
    {"3-4+0:1", "0:1 exists already"},
    {"3-4-2/none-2:1", "2:1 does not exist"},
    {"3-4-2/none+2:1+2:1", "2:1 exists already"},
    {"3-4+01", "expected ':'"},
    {"3-4+:1", "number of a layer"},
    {"3-4+0:", "number of a layer"},
    {"3-4/full junk", "at ' junk'"},
    {"3-4+0", "expected ':'"},
    {"3-4.5", "at '.5'"},
    {"3-4e3", "unknown activation \"e\""},
    {"3-99999999999999999999999", "size of a layer"},
    {"99999999999999999999999-4", "number of inputs"},
    {"3-18446744073709551615", "too large"},
    {"18446744073709551615-3", "too large"},
    {"4294967296-4294967296", "too large"},
};

TEST(ArchitectureText, EveryBadTextIsRefusedInOneLineThatNamesTheProblem) {
  for (const BadText& bad : bad_texts)
    EXPECT_THAT(refusal_of(bad.text), AllOf(HasSubstr(bad.problem), Not(HasSubstr("\n"))))
        << "'" << bad.text << "'";
}

TEST(ArchitectureText, NoTextThatIsCutOrAlteredCrashes) {
  const std::string good = "100-20tanh-8-2/feedback+0:3-2:1";
  const std::string letters = "0179-+:/ aru\n";
  for (std::size_t place = 0; place <= good.size(); ++place) {
    refusal_of(good.substr(0, place));
    for (const char c : letters) refusal_of(good.substr(0, place) + c + good.substr(place));
  }
}

TEST(Architecture, BlocksFollowEachOtherByTargetAndSourceAndThenComeTheBiases) {
  for (const Architecture& a : all_architectures()) {
    std::size_t next = 0;
    for (const Block& b : a.blocks()) {
      EXPECT_EQ(b.weights, next) << to_text(a);
      EXPECT_EQ(b.rows, a.layers()[b.to - 1].size);
      EXPECT_EQ(b.cols, b.from_input() ? a.inputs() : a.layers()[b.from - 1].size);
      EXPECT_EQ(b.row, a.first_neuron(b.to));
      EXPECT_EQ(b.col, b.from_input() ? 0 : a.first_neuron(b.from));
      next += b.parameters;
    }
    EXPECT_EQ(a.biases(), next);
    EXPECT_EQ(a.parameters(), next + a.neurons());
    EXPECT_TRUE(std::is_sorted(a.blocks().begin(), a.blocks().end(), [](const Block& x, const Block& y) {
      return std::pair(x.to, x.from) < std::pair(y.to, y.from);
    })) << to_text(a);
  }
}

TEST(Architecture, TheLastLayerIsTheOutput) {
  const Architecture a = from_text<Architecture>("3-4-5-2");
  EXPECT_EQ(a.neurons(), 11u);
  EXPECT_EQ(a.outputs(), 2u);
  EXPECT_EQ(a.first_output(), 9u);
  EXPECT_EQ(a.first_neuron(1), 0u);
  EXPECT_EQ(a.first_neuron(3), 9u);
}

TEST(Architecture, BlocksAreNamedByTheNodesTheyJoin) {
  std::vector<std::string> names;
  const Architecture paper = from_text<Architecture>("100-5-2");
  for (const Block& b : paper.blocks()) names.push_back(Architecture::block_name(b));
  EXPECT_THAT(names, ::testing::ElementsAre("layer1.input", "layer1.layer1", "layer1.layer2", "layer2.layer1",
                                            "layer2.layer2"));
}

TEST(Architecture, EveryRecurrenceIsFoundByItsNameAndNoOther) {
  for (std::size_t r = 0; r < recurrence_names.size(); ++r)
    EXPECT_EQ(from_text<Recurrence>(recurrence_names[r]), static_cast<Recurrence>(r));
  EXPECT_THAT(refusal([] { from_text<Recurrence>("laterl"); }), HasSubstr("did you mean \"lateral\""));
}

TEST(Architecture, IsRecurrentIfAndOnlyIfABlockLeadsNotForward) {
  EXPECT_FALSE(from_text<Architecture>("3-4-2/none+0:2").recurrent());
  EXPECT_TRUE(from_text<Architecture>("3-4-2/none+2:2").recurrent());
  EXPECT_TRUE(from_text<Architecture>("3-4-2/none+2:1").recurrent());
  EXPECT_FALSE(from_text<Architecture>("3-4/full-1:1").recurrent());
}

TEST(Architecture, SizesInCodeAreCheckedLikeSizesInText) {
  EXPECT_THAT(refusal([] { Architecture(0, {{1}}); }), HasSubstr("at least one input"));
  EXPECT_THAT(refusal([] { Architecture(1, {}); }), HasSubstr("at least one layer"));
  EXPECT_THAT(refusal([] { Architecture(1, {{2}, {0}}); }), HasSubstr("layer 2 is empty"));
  EXPECT_THAT(refusal([] { Architecture(1, {{std::size_t(1) << 40}}); }), HasSubstr("too large"));
}

// 2^16 lateral blocks of 2^48 weights are 2^64.
TEST(Architecture, MoreParametersThanCanBeCountedAreRefused) {
  const std::size_t large = std::size_t(1) << 24;
  EXPECT_THAT(refusal([&] { Architecture(1, std::vector<Layer>(1 << 16, {large}), Recurrence::lateral); }),
              HasSubstr("parameters is too large"));
  EXPECT_EQ(Architecture(1, {{large}}, Recurrence::none).parameters(), 2 * large);
}

}  // namespace
}  // namespace irn
