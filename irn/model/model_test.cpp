#include "irn/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>

#include "irn/base/options_text.h"
#include "irn/base/version.h"
#include "irn/model/safetensors.h"
#include "irn/network/certificate.h"
#include "irn/optim/certifier.h"
#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Encoding flowers() {
  return {.task = Task::classification,
          .missing = Missing::mean,
          .unknown = Unknown::zeros,
          .inputs = {{"size", {}, 1.0 / 3, 1e-7}, {"colour", {"blue", "gr\u00fcn"}}},
          .targets = {{"kind", {"rose", "tulip"}}}};
}

template <class T>
ModelOf<T> sample(const char* network = "3-4tanh-2") {
  return {random_network<T>(from_text<Architecture>(network), 7, 2),
          flowers(),
          {RungeKutta4{.step = 0.1, .steps = 400}, 1e-4},
          "epochs = 3\n[data]\nname = \"x\"\n",
          std::numeric_limits<std::uint64_t>::max(),
          {{"accuracy", 0.1 + 0.2}, {"r2", std::numeric_limits<double>::quiet_NaN()}}};
}

template <class T>
ModelOf<T> read_as(const std::string& bytes) {
  return std::get<ModelOf<T>>(model_from_bytes(bytes, "m.irn"));
}

// The message of reading after `change` to the file's content, by someone who omits the checksum.
std::string refusal_after(const std::function<void(Safetensors&)>& change) {
  Safetensors file = safetensors_from_bytes(to_bytes(sample<float>()), "m.irn");
  change(file);
  return refusal([&] { model_from_bytes(to_bytes(file), "m.irn"); });
}

template <class T>
class ModelFile : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ModelFile, Precisions);

TYPED_TEST(ModelFile, GivesBackEverything) {
  const ModelOf<TypeParam> model = sample<TypeParam>();
  const std::string bytes = to_bytes(model);
  const ModelOf<TypeParam> again = read_as<TypeParam>(bytes);
  EXPECT_EQ(again.network.architecture(), model.network.architecture());
  EXPECT_TRUE(std::ranges::equal(again.network.parameters(), model.network.parameters()));
  EXPECT_EQ(again.encoding, model.encoding);
  EXPECT_EQ(to_text(again.settle.solver), to_text(model.settle.solver));
  EXPECT_EQ(again.settle.tolerance, model.settle.tolerance);
  EXPECT_EQ(again.configuration, model.configuration);
  EXPECT_EQ(again.seed, model.seed);
  EXPECT_FALSE(again.loss) << "a file of a time without losses has none";
  EXPECT_EQ(again.metrics.at("accuracy"), 0.1 + 0.2);
  EXPECT_TRUE(std::isnan(again.metrics.at("r2")));
  EXPECT_EQ(to_bytes(again), bytes);
}

TEST(Model, HoldsEveryLossThatHasAName) {
  for_each_choice<NamedLoss>([](const auto& loss) {
    ModelOf<double> model{random_network<double>(from_text<Architecture>("3-4tanh-2"), 7, 2),
                          plain_encoding(3, 2)};
    if (of_classes(loss)) model.encoding = flowers();
    model.loss = loss;
    EXPECT_EQ(name_of(read_as<double>(to_bytes(model)).loss.value()), loss.name);
  });
  ModelOf<double> model{random_network<double>(from_text<Architecture>("3-4tanh-2"), 7, 2),
                        plain_encoding(3, 2)};
  model.loss = HuberLoss{.delta = 0.1};
  EXPECT_EQ(to_text(read_as<double>(to_bytes(model)).loss.value()), "huber:delta=0.1");
}

TYPED_TEST(ModelFile, HoldsEveryArchitecture) {
  for (const Architecture& architecture : all_architectures()) {
    const ModelOf<TypeParam> model{random_network<TypeParam>(architecture, 3, 1),
                                   plain_encoding(architecture.inputs(), 1)};
    const ModelOf<TypeParam> again = read_as<TypeParam>(to_bytes(model));
    EXPECT_EQ(again.network.architecture(), architecture);
    EXPECT_TRUE(std::ranges::equal(again.network.parameters(), model.network.parameters()))
        << to_text(architecture);
  }
}

TEST(Model, ACertificateIsProvenWhenItIsWrittenAndWhenItIsRead) {
  ModelOf<float> model = sample<float>("3-4tanh-2/none+1:1");
  model.settle.certified = true;
  ASSERT_FALSE(is_certified(model.network));
  EXPECT_FALSE(read_as<float>(to_bytes(model)).settle.certified);  // it does not hold, so it is not claimed
  Certifier<float>(model.network.architecture(), 0.9).hold(model.network);
  const std::string bytes = to_bytes(model);
  EXPECT_TRUE(read_as<float>(bytes).settle.certified);
  Safetensors file = safetensors_from_bytes(bytes, "m.irn");
  for (Tensor& tensor : file.tensors)
    if (tensor.name == "layer1.layer1")
      tensor = make_tensor<float>(tensor.name, tensor.shape, std::vector<float>(16, 1));
  EXPECT_THAT(refusal([&] { model_from_bytes(to_bytes(file), "m.irn"); }),
              HasSubstr("do not keep to its certificate"));
  file.metadata["irn.certificate"] = "1.5";
  EXPECT_THAT(refusal([&] { model_from_bytes(to_bytes(file), "m.irn"); }), HasSubstr("certifies nothing"));
}

TEST(Model, TensorsAreTheBlocksOfTheNetwork) {
  const ModelOf<double> model = sample<double>("3-4tanh-2/feedback");
  const Safetensors file = safetensors_from_bytes(to_bytes(model), "m.irn");
  std::vector<std::string> names;
  for (const Tensor& tensor : file.tensors) names.push_back(tensor.name);
  EXPECT_THAT(names,
              ElementsAre("layer1.bias", "layer1.input", "layer1.layer2", "layer2.bias", "layer2.layer1"));
  EXPECT_THAT(file.find("layer1.input")->shape, ElementsAre(4, 3));
  EXPECT_THAT(file.find("layer2.bias")->shape, ElementsAre(2));
  const Block& block = model.network.architecture().blocks()[2];
  EXPECT_EQ(values_of<double>(*file.find("layer2.layer1"))[5], model.network.parameters()[block.weights + 5]);
}

TEST(Model, TheShortestFileOfAnotherWriterIsEnough) {
  Safetensors file = safetensors_from_bytes(to_bytes(sample<float>()), "m.irn");
  std::erase_if(file.metadata, [](const auto& entry) {
    return entry.first != "irn.version" && entry.first != "irn.network" && entry.first != "irn.encoding";
  });
  file.metadata["author"] = "somebody";  // entries of others are ignored
  std::reverse(file.tensors.begin(), file.tensors.end());
  const ModelOf<float> model = read_as<float>(to_bytes(file));
  EXPECT_EQ(to_text(model.settle.solver), "auto");
  EXPECT_EQ(model.seed, 0u);
  EXPECT_TRUE(std::ranges::equal(model.network.parameters(), sample<float>().network.parameters()));
}

TEST(Model, ANewerVersionIsRefusedWithBothVersions) {
  EXPECT_THAT(refusal_after([](Safetensors& file) {
                file.metadata["irn.version"] = "2";
                file.metadata["irn.new"] = "something";
              }),
              AllOf(HasSubstr("m.irn: its format has version 2"), HasSubstr("reads version 1"),
                    HasSubstr("irn " IRN_VERSION)));
}

TEST(Model, AnotherFileIsCalledNoModel) {
  for (const char* bytes : {"a,b,t\n1,2,3\n4,5,6\n", "\x93NUMPY\x01", "x", ""})
    EXPECT_THAT(refusal([&] { model_from_bytes(bytes, "a.csv"); }),
                HasSubstr("a.csv: no model file of irn; name the model.safetensors"));
}

TEST(Model, MetadataThatMakeNoSenseAreRefused) {
  const auto with = [](const char* key, const char* value) {
    return refusal_after([&](Safetensors& file) { file.metadata[key] = value; });
  };
  EXPECT_THAT(with("irn.version", "one"), HasSubstr("no version of the format"));
  EXPECT_THAT(with("irn.version", "0"), HasSubstr("no version of the format"));
  EXPECT_THAT(with("irn.networks", "x"), HasSubstr("did you mean \"irn.network\"?"));
  EXPECT_THAT(with("irn.network", "3-4+"), HasSubstr("m.irn: network '3-4+'"));
  EXPECT_THAT(with("irn.network", "4-4tanh-2"), HasSubstr("columns make 3 inputs, its network takes 4"));
  EXPECT_THAT(with("irn.network", "3-4tanh-1"), HasSubstr("targets take 2 outputs, its network has 1"));
  EXPECT_THAT(with("irn.network", "3-5tanh-2"),
              HasSubstr("'layer1.input' has shape [4, 3], by 'irn.network' it is [5, 3]"));
  EXPECT_THAT(with("irn.encoding", "{}"), HasSubstr("m.irn: the encoding of the columns"));
  EXPECT_THAT(with("irn.solver", "rk3"), HasSubstr("did you mean \"rk4\"?"));
  EXPECT_THAT(with("irn.solver", "rk4:step=0"), HasSubstr("above zero"));
  EXPECT_THAT(with("irn.tolerance", "1e-9"), HasSubstr("below what its precision can reach"));
  EXPECT_THAT(with("irn.tolerance", "nan"), HasSubstr("'irn.tolerance' is 'nan'"));
  EXPECT_THAT(with("irn.seed", "-1"), HasSubstr("'irn.seed' is '-1'"));
  EXPECT_THAT(with("irn.loss", "cross-entropi"), HasSubstr("did you mean \"cross-entropy\"?"));
  EXPECT_THAT(with("irn.loss", "huber:delta=-1"), HasSubstr("delta"));
  EXPECT_THAT(with("irn.loss", "squared"), HasSubstr("'squared', which does not fit the task"));
  EXPECT_THAT(with("irn.metrics", "[1"), HasSubstr("'irn.metrics' is no JSON object"));
  EXPECT_THAT(with("irn.metrics", "{\"a\":\"b\"}"), HasSubstr("'a' is no number"));
  EXPECT_THAT(with("irn.metrics", "{\"a\":1e999}"), HasSubstr("no JSON object"));
  for (const char* key : {"irn.version", "irn.network", "irn.encoding"})
    EXPECT_THAT(refusal_after([&](Safetensors& file) { file.metadata.erase(key); }), HasSubstr(key));
}

TEST(Model, TensorsThatDoNotFitAreRefused) {
  const std::vector<float> one = {1}, bad = {1, NAN};
  const std::vector<double> two = {1, 2};
  EXPECT_THAT(refusal_after([](Safetensors& file) { file.tensors.pop_back(); }), HasSubstr("is missing"));
  EXPECT_THAT(
      refusal_after([&](Safetensors& file) { file.tensors.push_back(make_tensor<float>("x", {1}, one)); }),
      HasSubstr("tensor 'x' belongs to nothing"));
  const auto with_bias = [](Tensor bias) {
    return refusal_after([&](Safetensors& file) {
      std::erase_if(file.tensors, [](const Tensor& t) { return t.name == "layer2.bias"; });
      file.tensors.push_back(bias);
    });
  };
  EXPECT_THAT(with_bias(make_tensor<double>("layer2.bias", {2}, two)), HasSubstr("holds F64, not F32"));
  EXPECT_THAT(with_bias(make_tensor<float>("layer2.bias", {2}, bad)),
              HasSubstr("bias 5 of network 3-4tanh-2 is not finite"));
  EXPECT_THAT(refusal_after([](Safetensors& file) {
                for (Tensor& tensor : file.tensors) tensor.type = TensorType::I32;
              }),
              HasSubstr("a model holds F32 or F64"));
}

TEST(Model, WhatCouldNotBeReadBackIsNotWritten) {
  ModelOf<float> model = sample<float>();
  model.network.parameters()[0] = INFINITY;
  EXPECT_THAT(refusal([&] { to_bytes(model); }), HasSubstr("is not finite"));
  model = sample<float>();
  model.encoding.inputs.pop_back();
  EXPECT_THAT(refusal([&] { to_bytes(model); }), HasSubstr("columns make 1 inputs"));
  model = sample<float>();
  model.settle.tolerance = 1e-12;
  EXPECT_THAT(refusal([&] { to_bytes(model); }), HasSubstr("below what its precision can reach"));
  model = sample<float>();
  model.encoding.inputs[0].name = "\xff";
  EXPECT_THAT(refusal([&] { to_bytes(model); }), HasSubstr("UTF-8"));
  model = sample<float>();
  model.loss = CustomLoss{"mine", [](auto, auto, auto) { return 0.0; }};
  EXPECT_THAT(refusal([&] { to_bytes(model); }), AllOf(HasSubstr("'mine'"), HasSubstr("cannot hold it")));
}

TEST(Model, AFlippedBitIsRefusedOrLeavesTheModelWhole) {
  const std::string bytes = to_bytes(sample<float>());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    std::string again = bytes;
    refusal([&] { again = to_bytes(read_as<float>(damaged)); });
    EXPECT_EQ(again, bytes) << "bit " << bit;
  }
}

TEST(Model, AClaimOfManyLayersIsRefusedInNoTime) {
  std::string few = "3", many = "3";
  for (int i = 0; i < 8000; ++i) few += "-1";
  for (int i = 0; i < 80000; ++i) many += "-1";
  const auto start = std::chrono::steady_clock::now();
  const auto with = [](const std::string& network) {
    return refusal_after([&](Safetensors& file) { file.metadata["irn.network"] = network; });
  };
  EXPECT_THAT(with(few + "-2"), HasSubstr("'layer1.input' has shape"));
  EXPECT_THAT(with(many), HasSubstr("at most 16384 are read"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Model, FilesAreWrittenAndRead) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "irn_model_test.irn";
  write_model(path, sample<double>());
  EXPECT_EQ(to_bytes(std::get<ModelOf<double>>(read_model(path))), to_bytes(sample<double>()));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace irn
