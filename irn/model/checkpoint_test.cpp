#include "irn/model/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include <nlohmann/json.hpp>

#include "irn/base/options_text.h"
#include "irn/base/random.h"
#include "irn/data/sample_table.h"
#include "irn/model/model.h"
#include "irn/model/safetensors.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <class T>
SampleTable<T> wave(std::size_t rows) {
  const Stream draw(1);
  std::vector<T> inputs, targets;
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = draw.uniform(i, -2, 2);
    inputs.push_back(static_cast<T>(x));
    targets.push_back(static_cast<T>(std::sin(x)));
  }
  return SampleTable<T>(1, 1, std::move(inputs), std::move(targets));
}

constexpr const char* network_text = "1-4tanh-1identity/lateral";

// A small training, which steps to any point and makes a checkpoint there.
template <class T>
struct Training {
  SampleTable<T> samples = wave<T>(20);
  ThreadPool threads{1};
  NetworkOf<T> network{from_text<Architecture>(network_text), Start::scaled, 5};
  Fit<T> fit;

  explicit Training(const OptimiserOptions& optimiser = Adam{})
      : fit(network, samples, nullptr, options(optimiser), threads) {}

  static FitOptions options(const OptimiserOptions& optimiser) {
    FitOptions chosen{.epochs = 6, .batch = 7, .seed = 3};
    chosen.training.optimiser = optimiser;
    return chosen;
  }
  Checkpoint<T> after(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) fit.step();
    return {network_text, "epochs = 6\n", plain_encoding(1, 1), "0123456789abcdef", fit.state()};
  }
};

template <class T>
class CheckpointOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CheckpointOf, Precisions);

template <class T>
std::vector<T> copy(std::span<const T> of) {
  return {of.begin(), of.end()};
}

TYPED_TEST(CheckpointOf, IsReadAsWhatWasWritten) {
  for (const std::size_t steps : {0, 1, 3, 7, 17})
    for (const std::string_view optimiser : names<OptimiserOptions>()) {
      Training<TypeParam> training(from_text<OptimiserOptions>(optimiser));
      const Checkpoint<TypeParam> written = training.after(steps);
      const std::string bytes = to_bytes(written);
      const Checkpoint<TypeParam> read = checkpoint_from_bytes<TypeParam>(bytes, "c");
      EXPECT_EQ(read.architecture, written.architecture);
      EXPECT_EQ(read.configuration, written.configuration);
      EXPECT_EQ(read.encoding, written.encoding);
      EXPECT_EQ(read.data, written.data);
      EXPECT_EQ(read.fit.parameters, written.fit.parameters);
      EXPECT_EQ(read.fit.records.size(), steps / 3);
      EXPECT_EQ(copy(read.fit.best.parameters()), copy(written.fit.best.parameters()));
      EXPECT_EQ(to_bytes(read), bytes) << "not a bit is lost, after " << steps << " steps";
    }
}

TYPED_TEST(CheckpointOf, TrainingGoesOnFromTheFileAsIfNeverStopped) {
  Training<TypeParam> whole;
  while (!whole.fit.ended()) whole.fit.step();
  for (const std::size_t steps : {1, 3, 10}) {
    const std::filesystem::path path =
        ::testing::TempDir() + "checkpoint_" + std::to_string(sizeof(TypeParam)) + ".safetensors";
    write_checkpoint(path, Training<TypeParam>().after(steps));
    Training<TypeParam> later;
    later.fit.restore(read_checkpoint<TypeParam>(path).fit);
    while (!later.fit.ended()) later.fit.step();
    EXPECT_EQ(copy(std::as_const(later.network).parameters()),
              copy(std::as_const(whole.network).parameters()));
    EXPECT_EQ(copy(later.fit.best().parameters()), copy(whole.fit.best().parameters()));
    std::filesystem::remove(path);
  }
}

TEST(Checkpoint, OfATimeWithoutWeightsCountsEverySampleAsOne) {
  const Checkpoint<double> written = Training<double>().after(4);
  Safetensors file = safetensors_from_bytes(to_bytes(written), "c");
  auto fit = nlohmann::ordered_json::parse(file.metadata.at("fit"));
  fit["sums"].erase("weight"), fit["sums"].erase("counted_weight");
  file.metadata["fit"] = fit.dump();
  const EpochSums sums = checkpoint_from_bytes<double>(to_bytes(file), "c").fit.sums;
  EXPECT_EQ(sums.weight, 7);
  EXPECT_EQ(sums.counted_weight, 7);
}

// An infinite loss tells how the training ended, and JSON has no infinity.
TEST(Checkpoint, OfATrainingThatEndedBadlySaysHow) {
  Checkpoint<double> written = Training<double>().after(4);
  written.fit.sums.loss = std::numeric_limits<double>::infinity();
  Training<double> later;
  later.fit.restore(checkpoint_from_bytes<double>(to_bytes(written), "c").fit);
  EXPECT_EQ(later.fit.ended(), FitEnd::not_finite);
}

std::string refusal_of(std::string_view bytes) {
  return refusal([&] { checkpoint_from_bytes<double>(bytes, "c.safetensors"); });
}
auto one_line_naming(const char* what) {
  return AllOf(HasSubstr("c.safetensors: "), HasSubstr(what), Not(HasSubstr("\n")));
}

TEST(Checkpoint, EveryTruncationIsRefused) {
  const std::string bytes = to_bytes(Training<double>().after(4));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(checkpoint_from_bytes<double>(std::string_view(bytes).substr(0, size), "c"), DataError)
        << size;
}

// A flip in the name of the checksum removes the check and leaves everything else unchanged.
TEST(Checkpoint, AFlippedBitIsRefusedOrChangesNothing) {
  const std::string whole = to_bytes(Training<double>().after(4));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << (i % 8)));
    std::string again;
    const std::string message = refusal([&] { again = to_bytes(checkpoint_from_bytes<double>(bytes, "c")); });
    refused += !message.empty();
    if (message.empty()) {
      EXPECT_EQ(again, whole) << "byte " << i;
    } else {
      EXPECT_THAT(message, Not(HasSubstr("\n")));
    }
  }
  EXPECT_GE(refused, whole.size() - std::string_view("irn.crc32").size());
}

// A file as someone can write it who omits the checksum or computes it anew.
std::string changed(const std::function<void(Safetensors&)>& change) {
  Safetensors file = safetensors_from_bytes(to_bytes(Training<double>().after(4)), "c");
  change(file);
  return to_bytes(file);
}

TEST(Checkpoint, OtherVersionsAndPrecisionsAreRefused) {
  EXPECT_THAT(refusal_of(changed([](Safetensors& f) { f.metadata["irn.checkpoint"] = "1"; })),
              one_line_naming("version 1"));
  EXPECT_THAT(refusal_of(to_bytes(Training<float>().after(1))), one_line_naming("in float, not in double"));
  EXPECT_THAT(refusal_of(to_bytes(Safetensors{})), one_line_naming("not a checkpoint of irn"));
}

TEST(Checkpoint, MissingPartsAreNamed) {
  const Safetensors file = safetensors_from_bytes(to_bytes(Training<double>().after(4)), "c");
  for (const auto& [key, value] : file.metadata)
    EXPECT_THAT(refusal_of(changed([&](Safetensors& f) { f.metadata.erase(key); })),
                one_line_naming(key.c_str()));
  for (const Tensor& tensor : file.tensors)
    EXPECT_THAT(refusal_of(changed([&](Safetensors& f) {
                  std::erase_if(f.tensors, [&](const Tensor& t) { return t.name == tensor.name; });
                })),
                one_line_naming(tensor.name.c_str()));
}

TEST(Checkpoint, PartsThatDoNotFitEachOtherAreRefused) {
  EXPECT_THAT(refusal_of(changed([](Safetensors& f) { f.metadata["architecture"] = "1-5tanh-1identity"; })),
              one_line_naming("do not fit the network 1-5tanh-1identity"));
  EXPECT_THAT(refusal_of(changed([](Safetensors& f) { f.metadata["architecture"] = "rubbish"; })),
              one_line_naming("rubbish"));
  EXPECT_THAT(refusal_of(changed([](Safetensors& f) { f.metadata["fit"] = "[]"; })),
              one_line_naming("damaged"));
  EXPECT_THAT(refusal_of(changed([](Safetensors& f) {
                auto fit = nlohmann::json::parse(f.metadata["fit"]);
                fit["records"][0]["epoch"] = 7;
                f.metadata["fit"] = fit.dump();
              })),
              one_line_naming("out of order"));
  EXPECT_THAT(refusal_of(changed([](Safetensors& f) {
                auto fit = nlohmann::json::parse(f.metadata["fit"]);
                fit["sums"]["steps"] = -1;
                f.metadata["fit"] = fit.dump();
              })),
              one_line_naming("no whole number"));
}

TEST(Log, IsALineAnEpochWithNullForWhatIsNoNumber) {
  const EpochRecord record{.epoch = 3, .loss = 0.5, .score = NAN, .best = true};
  const std::string line = to_json_line(record, true);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json.at("epoch"), 3);
  EXPECT_EQ(json.at("loss"), 0.5);
  EXPECT_TRUE(json.at("score").is_null());
  EXPECT_EQ(json.at("best"), true);
  const auto cells = [](const std::string& text) { return std::count(text.begin(), text.end(), ',') + 1; };
  EXPECT_EQ(cells(csv_header_line(true)), cells(to_csv_line(record)));
  EXPECT_EQ(cells(csv_header_line(true)), static_cast<std::ptrdiff_t>(json.size()));
}

TEST(Log, WhatTheTrainingRowsSayIsNotCalledValidation) {
  const EpochRecord record{.epoch = 1, .loss = 0.5, .validation_loss = 0.25, .score = 0.75};
  const auto json = nlohmann::json::parse(to_json_line(record, false));
  EXPECT_EQ(json.at("loss"), 0.5);
  EXPECT_EQ(json.at("training_loss"), 0.25);
  EXPECT_EQ(json.at("training_score"), 0.75);
  EXPECT_TRUE(json.contains("training_settled"));
  EXPECT_EQ(json.size(), nlohmann::json::parse(to_json_line(record, true)).size());
  for (const std::string& line : {to_json_line(record, false), csv_header_line(false)})
    EXPECT_EQ(line.find("validation"), std::string::npos) << line;
  EXPECT_NE(csv_header_line(true).find("validation_loss"), std::string::npos);
}

}  // namespace
}  // namespace irn
