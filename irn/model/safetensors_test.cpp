#include "irn/model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "irn/base/file.h"
#include "irn/data/frame.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
Tensor tensor_of(std::string name, std::vector<std::size_t> shape, const std::vector<T>& values) {
  return make_tensor<T>(std::move(name), std::move(shape), std::span<const T>(values));
}

Safetensors sample() {
  return {{{"title", "caf\u00e9 \"quoted\"\n"}, {"a", "irn.crc32"}},
          {tensor_of<double>("means", {3}, {1.5, -0.0, 1e300}),
           tensor_of<std::uint64_t>("step", {}, {std::numeric_limits<std::uint64_t>::max()}),
           tensor_of<float>("b", {0}, {}), tensor_of<float>("weights", {2, 2}, {1, 2, 3, 4})}};
}

// A file with the given header and data, as another program may write it.
std::string file(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

std::string refusal_of(const std::string& bytes) {
  return refusal([&] { safetensors_from_bytes(bytes, "m.irn"); });
}

TEST(Safetensors, GivesBackWhatWasWritten) {
  const Safetensors content = sample();
  const Safetensors again = safetensors_from_bytes(to_bytes(content), "m.irn");
  EXPECT_EQ(again.metadata, content.metadata);
  ASSERT_EQ(again.tensors.size(), content.tensors.size());
  for (const Tensor& tensor : content.tensors) EXPECT_EQ(*again.find(tensor.name), tensor);
  EXPECT_EQ(again.find("absent"), nullptr);
  EXPECT_THAT(values_of<float>(*again.find("weights")), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(std::signbit(values_of<double>(*again.find("means"))[1]));
}

TEST(Safetensors, BytesDependOnTheContentAlone) {
  Safetensors turned = sample();
  std::reverse(turned.tensors.begin(), turned.tensors.end());
  EXPECT_EQ(to_bytes(turned), to_bytes(sample()));
  EXPECT_EQ(to_bytes(safetensors_from_bytes(to_bytes(sample()), "")), to_bytes(sample()));
}

TEST(Safetensors, EveryNumberIsAligned) {
  const std::string bytes = to_bytes(sample());
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  EXPECT_EQ(header % 8, 0u);
  std::size_t begin = 0;
  for (const Tensor& tensor : safetensors_from_bytes(bytes, "").tensors) {
    EXPECT_EQ(begin % bytes_of(tensor.type), 0u) << tensor.name;
    begin += tensor.data.size();
  }
}

TEST(Safetensors, AFileOfAnotherWriterNeedsNoChecksum) {
  const std::string header =
      "{ \"x\" : {\"shape\": [2], \"dtype\": \"F32\", \"data_offsets\": [4, 12]},\n"
      "  \"y\" : {\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[0,4]} }   ";
  const Safetensors content = safetensors_from_bytes(file(header, std::string(12, 'a')), "m.irn");
  ASSERT_EQ(content.tensors.size(), 2u);
  EXPECT_EQ(content.tensors[0].name, "y");
  EXPECT_EQ(content.find("x")->type, TensorType::F32);
  EXPECT_TRUE(safetensors_from_bytes(file("{}"), "m.irn").tensors.empty());
}

TEST(Safetensors, ACutFileIsRefusedWhereverItIsCut) {
  const std::string bytes = to_bytes(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(refusal_of(bytes.substr(0, size)), HasSubstr("m.irn: ")) << size;
  EXPECT_THAT(refusal_of(bytes.substr(0, bytes.size() - 1)), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of(bytes + "x"), HasSubstr("1 byte follows its last tensor"));
}

// No checksum detects damage to its own name; the content is whole then.
TEST(Safetensors, AFlippedBitIsRefusedOrLeavesTheContentWhole) {
  const std::string bytes = to_bytes(sample());
  const Safetensors whole = safetensors_from_bytes(bytes, "");
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    Safetensors content;
    const std::string message = refusal([&] { content = safetensors_from_bytes(damaged, "m.irn"); });
    if (!message.empty()) {
      ++refused;
      continue;
    }
    EXPECT_EQ(content.tensors, whole.tensors) << "bit " << bit;
    for (const auto& [key, value] : whole.metadata)
      EXPECT_EQ(content.metadata.at(key), value) << "bit " << bit;
  }
  EXPECT_GE(refused, 8 * (bytes.size() - checksum_key.size()));
}

TEST(Safetensors, ADamagedFileIsNamedSo) {
  std::string bytes = to_bytes(sample());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THAT(refusal_of(bytes),
              HasSubstr("m.irn: damaged, its checksum does not match; restore it from a copy"));
}

TEST(Safetensors, HostileHeadersAreRefused) {
  const auto entry = [](const std::string& inner) { return "{\"x\":{" + inner + "}}"; };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "no JSON object"},
      {"{\"x\":", "no JSON"},
      {"{\"x\":1e999}", "no JSON"},
      {"{\"x\":[[[[1]]]]}", "nested too deeply"},
      {"{\"x\":1,\"x\":2}", "'x' occurs twice"},
      {"{\"__metadata__\":[]}", "__metadata__ is no object"},
      {"{\"__metadata__\":{\"a\":1}}", "metadata 'a' is no text"},
      {"{\"x\":7}", "needs dtype, shape and data_offsets"},
      {entry("\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,4]"), "unknown dtype 'F31'"},
      {entry("\"dtype\":3,\"shape\":[1],\"data_offsets\":[0,4]"), "unknown dtype"},
      {entry("\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]"), "no size"},
      {entry("\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]"), "no size"},
      {entry("\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]"), "is no list"},
      {entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]"), "not [begin, end]"},
      {entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]"), "not [begin, end]"},
      {entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]"), "does not fit its 4 bytes"},
      {entry("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,1],\"data_offsets\":[0,0]"), "does not fit"},
      {entry("\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]"), "does not fit"},
      {entry("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]"), "begin at byte 4"},
      {entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"), "truncated"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
       "\"y\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
       "begin at byte 2, those before end at 3"},
  };
  for (const auto& [header, expected] : cases)
    EXPECT_THAT(refusal_of(file(header, "1234")), HasSubstr(expected)) << header;
  EXPECT_THAT(refusal_of(std::string(16, '\xff')), HasSubstr("its header would be"));
  EXPECT_THROW(safetensors_from_bytes("", "m"), DataError);
}

TEST(Safetensors, WhatCannotBeWrittenIsRefused) {
  const std::vector<float> values = {1, 2, 3};
  EXPECT_THAT(refusal([&] { make_tensor<float>("w", {2, 2}, values); }),
              HasSubstr("tensor 'w': its shape asks"));
  const Tensor w = make_tensor<float>("w", {3}, values);
  EXPECT_THAT(refusal([&] { to_bytes(Safetensors{{}, {w, w}}); }), HasSubstr("two tensors are named 'w'"));
  EXPECT_THAT(refusal([&] { to_bytes(Safetensors{{{"a", "\xff"}}, {}}); }), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal([&] { values_of<double>(w); }), HasSubstr("tensor 'w' holds F32, not F64"));
}

TEST(Safetensors, FilesAreWrittenAndRead) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "irn_safetensors_test.st";
  write_safetensors(path, sample());
  EXPECT_EQ(to_bytes(read_safetensors(path)), to_bytes(sample()));
  std::filesystem::remove(path);
  EXPECT_THAT(refusal([&] { read_safetensors(path); }), HasSubstr("cannot read"));
}

}  // namespace
}  // namespace irn
