#include "irn/data/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Number>
std::string bytes_of(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string npy(const std::string& header, const std::string& values, int version = 1) {
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
         little(header.size(), version == 1 ? 2 : 4) + header + values;
}

std::string npy_of(const std::string& descr, const std::string& shape, const std::string& values,
                   const std::string& fortran = "False") {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }   \n",
             values);
}

std::vector<double> read(const std::string& file) {
  MemorySource source("data.npy", file);
  const Frame frame = read_npy(source);
  std::vector<double> values;
  for (std::size_t r = 0; r < frame.rows(); ++r)
    values.insert(values.end(), frame.row(r).begin(), frame.row(r).end());
  return values;
}

TEST(Npy, ChannelsOfImagesThatStandLastComeFirst) {
  std::vector<std::uint8_t> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
  const std::string first = npy_of("|u1", "(1, 2, 3, 4)", bytes_of(values)),
                    last = npy_of("|u1", "(1, 3, 4, 2)", bytes_of(values));
  MemorySource channels_first("first.npy", first), channels_last("last.npy", last);
  const Frame one = read_npy(channels_first), other = read_npy(channels_last);
  EXPECT_EQ(one.images()->shape, (ImageShape{2, 3, 4}));
  EXPECT_EQ(other.images()->shape, (ImageShape{2, 3, 4}));
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(one.row(0)[i], double(i));
    EXPECT_EQ(other.row(0)[i], double(i < 12 ? 2 * i : 2 * (i - 12) + 1)) << i;
  }
}

TEST(Npy, EveryTypeReads) {
  EXPECT_THAT(read(npy_of("<f4", "(2,)", bytes_of<float>({1.5f, -2}))), ElementsAre(1.5f, -2));
  EXPECT_THAT(
      read(npy_of("<f2", "(6,)", bytes_of<std::uint16_t>({0x3E00, 0xC000, 0x0001, 0x7BFF, 0x8400, 0}))),
      ElementsAre(1.5, -2, std::ldexp(1.0, -24), 65504, -std::ldexp(1.0, -14), 0));
  EXPECT_TRUE(std::isnan(read(npy_of("<f2", "(1,)", bytes_of<std::uint16_t>({0x7E00}))).front()));
  EXPECT_THAT(read(npy_of("<f8", "(2,)", bytes_of<double>({1.5, -2}))), ElementsAre(1.5f, -2));
  EXPECT_THAT(read(npy_of("|i1", "(2,)", bytes_of<std::int8_t>({1, -2}))), ElementsAre(1, -2));
  EXPECT_THAT(read(npy_of("<i2", "(2,)", bytes_of<std::int16_t>({1, -2}))), ElementsAre(1, -2));
  EXPECT_THAT(read(npy_of("<i4", "(2,)", bytes_of<std::int32_t>({1, -2}))), ElementsAre(1, -2));
  EXPECT_THAT(read(npy_of("<i8", "(2,)", bytes_of<std::int64_t>({1, -2}))), ElementsAre(1, -2));
  EXPECT_THAT(read(npy_of("|u1", "(2,)", bytes_of<std::uint8_t>({1, 254}))), ElementsAre(1, 254));
  EXPECT_THAT(read(npy_of("<u2", "(2,)", bytes_of<std::uint16_t>({1, 65534}))), ElementsAre(1, 65534));
  EXPECT_THAT(read(npy_of("<u4", "(1,)", bytes_of<std::uint32_t>({1u << 31}))), ElementsAre(2147483648.0f));
  EXPECT_THAT(read(npy_of("<u8", "(1,)", bytes_of<std::uint64_t>({1ull << 63}))), ElementsAre(0x1p63));
  EXPECT_THAT(read(npy_of("|b1", "(2,)", std::string("\1\0", 2))), ElementsAre(1, 0));
  EXPECT_THAT(read(npy_of(">i2", "(2,)", std::string("\0\1\1\0", 4))), ElementsAre(1, 256));
}

TEST(Npy, BothOrdersAndMoreDimensionsRead) {
  const std::string six = bytes_of<float>({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(read(npy_of("<f4", "(2, 3)", six)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read(npy_of("<f4", "(2, 3)", six, "True")), ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(read(npy_of("<f4", "(6, 1)", six, "True")), ElementsAre(1, 2, 3, 4, 5, 6));
  const std::string deep = npy_of("<f4", "(1, 3, 2)", six);
  MemorySource source("data.npy", deep);
  EXPECT_EQ(read_npy(source).columns()[5].name, "x5");
}

TEST(Npy, EveryVersionReads) {
  const std::string header = "{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<f4\"}";
  for (const int version : {1, 2, 3})
    EXPECT_THAT(read(npy(header, bytes_of<float>({7}), version)), ElementsAre(7));
  EXPECT_THAT(refusal([&] { read(npy(header, bytes_of<float>({7}), 4)); }), HasSubstr("version 4"));
}

TEST(Npy, MissingIsNanAndInfiniteIsRefused) {
  EXPECT_TRUE(std::isnan(read(npy_of("<f4", "(1,)", bytes_of<float>({NAN})))[0]));
  EXPECT_THAT(refusal([] { read(npy_of("<f4", "(3, 2)", bytes_of<float>({1, 2, 3, INFINITY, 5, 6}))); }),
              HasSubstr("data.npy, row 1 (counted from 0), column 'x1'"));
  EXPECT_THAT(read(npy_of("<f8", "(1,)", bytes_of<double>({1e300}))), ElementsAre(1e300));
}

struct Bad {
  std::string file, message;
};

TEST(Npy, BadFilesAreRefused) {
  const std::string one = bytes_of<float>({1});
  const Bad bad[] = {
      {"", "truncated"},
      {"\x93NUMPY", "truncated"},
      {"\x93NUMPX\1\0\0\0", "truncated"},
      {std::string("\x93NUMPX\1\0\0\0", 10), "not an NPY"},
      {npy_of("<f16", "(1,)", "12"), "'<f16'"},
      {npy_of("<c8", "(1,)", "12345678"), "'<c8'"},
      {npy_of("<U3", "(1,)", std::string(12, 'x')), "'<U3'"},
      {npy_of("|O", "(1,)", one), "'|O'"},
      {npy_of("<f4", "()", one), "single number"},
      {npy_of("<f4", "(0,)", ""), "no values"},
      {npy_of("<f4", "(1, 0)", ""), "no values"},
      {npy_of("<f4", "(2,)", one), "truncated"},
      {npy_of("<f4", "(1,)", one + "x"), "bytes over"},
      {npy_of("<f4", "(1000000000000, 3)", one), "truncated"},
      {npy_of("<f4", "(4611686018427387905,)", one), "truncated"},
      {npy_of("<f4", "(4294967296, 4294967296, 1)", one), "too many columns"},
      {npy_of("<f4", "(99999999999999999999999,)", one), "shape"},
      {npy_of("<f4", "(-1,)", one), "shape"},
      {npy_of("<f4", "(1,", one), "shape"},
      {npy_of("<f4", "(1, 1, 1)", one, "True"), "Fortran"},
      {npy_of("<f4", "(1,)", one, "Maybe"), "True or False"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", one), "structured"},
      {npy("{'descr': '<f4', 'shape': (1,)}", one), "lacks"},
      {npy("{'descr': '<f4', 'colour': 'red'}", one), "'colour'"},
      {npy("{'descr': '<f4", one), "does not end"},
      {npy("", one), "'{'"},
      {std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), "header of 4294967295 bytes"},
  };
  for (const Bad& file : bad) {
    const std::string message = refusal([&] { read(file.file); });
    EXPECT_THAT(message, HasSubstr(file.message));
    EXPECT_THAT(message, HasSubstr("data.npy: "));
  }
}

// A zip archive of stored members.
std::string npz(const std::vector<std::pair<std::string, std::string>>& members, unsigned method = 0,
                unsigned flags = 0) {
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const std::string common = little(flags, 2) + little(method, 2) + little(0, 4) + little(sum, 4) +
                               little(content.size(), 4) + little(content.size(), 4) +
                               little(name.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + common + std::string(10, '\0') +
                 little(archive.size(), 4) + name;
    archive += "PK\x03\x04" + little(20, 2) + common + name + content;
  }
  return archive + directory + "PK\x05\x06" + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(archive.size(), 4) + little(0, 2);
}

Frame read_archive(const std::string& file, const std::vector<std::string>& names = {}) {
  MemorySource source("data.npz", file);
  return read_npz(source, names);
}

const std::string two_by_two = npy_of("<f4", "(2, 2)", bytes_of<float>({1, 2, 3, 4}));
const std::string column = npy_of("<i4", "(2,)", bytes_of<std::int32_t>({7, 8}));
const std::string long_column = npy_of("<i4", "(3,)", bytes_of<std::int32_t>({7, 8, 9}));

TEST(Npz, ArraysStandSideBySide) {
  const Frame frame =
      read_archive(npz({{"y.npy", column}, {"X.npy", two_by_two}, {"more.npy", long_column}}));
  EXPECT_EQ(frame.columns()[0].name, "X0");
  EXPECT_EQ(frame.columns()[2].name, "y");
  EXPECT_THAT(frame.row(1), ElementsAre(3, 4, 8));
  EXPECT_EQ(read_archive(npz({{"a.npy", column}, {"b.npy", column}})).width(), 2u);
  EXPECT_EQ(read_archive(npz({{"a.npy", column}, {"b.npy", long_column}}), {"b"}).rows(), 3u);
}

TEST(Npz, ArraysMayBeGivenOtherNames) {
  const std::string file =
      npz({{"X_train.npy", two_by_two}, {"y_train.npy", column}, {"X_test.npy", long_column}});
  const Frame frame = read_archive(file, {"x=X_train", "y=y_train"});
  EXPECT_EQ(frame.columns()[1].name, "x1");
  EXPECT_EQ(frame.columns()[2].name, "y");
  EXPECT_THAT(frame.row(1), ElementsAre(3, 4, 8));
  EXPECT_THAT(refusal([&] { read_archive(file, {"x=X_valid"}); }), HasSubstr("unknown array \"X_valid\""));
  EXPECT_THAT(refusal([&] { read_archive(file, {"=X_test"}); }), HasSubstr("no name"));
}

TEST(Npy, ClassesThatADoubleCannotHoldAreRefused) {
  const std::string file = npy_of("<i8", "(2,)", bytes_of<std::int64_t>({1, 9007199254740993}));
  const std::vector<std::string> exact = {"x"};
  MemorySource source("data.npy", file);
  EXPECT_THAT(refusal([&] { read_npy(source, exact); }), HasSubstr("row 1 (counted from 0), column 'x'"));
  EXPECT_THAT(read(file), ElementsAre(1, 9007199254740992.0)) << "as numbers they are what they can be";
}

TEST(Npz, BadFilesAreRefused) {
  const std::string good = npz({{"x.npy", two_by_two}});
  const Bad bad[] = {
      {npz({}), "without arrays"},
      {npz({{"[Content_Types].xml", "<x/>"}}), "Save the sheet as CSV"},
      {npz({{"a.npy", column}, {"b.npy", long_column}}), "a (2), b (3)"},
      {npz({{"x.npy", column}}, 12), "method 12"},
      {npz({{"x.npy", column}}, 0, 1), "encrypted"},
      {npz({{"x.npy", column}}, 8), "damaged"},
      {npz({{"x.npy", "hello"}}), "truncated"},
      {good.substr(0, good.size() - 1), "damaged"},
      {good.substr(5), "damaged"},
      {"PK\x03\x04", "damaged"},
  };
  for (const Bad& file : bad) EXPECT_THAT(refusal([&] { read_archive(file.file); }), HasSubstr(file.message));
  EXPECT_THAT(refusal([&] { read_archive(good, {"z"}); }), HasSubstr("unknown array \"z\""));
}

TEST(Npz, EveryFlippedBitOfTheValuesIsNoticed) {
  const std::string good = npz({{"x.npy", two_by_two}});
  const std::size_t start = good.find("(2, 2)");
  for (std::size_t i = start + 20; i < good.find("PK\x01\x02"); ++i) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    EXPECT_NE(refusal([&] { read_archive(flipped); }), "") << i;
  }
}

}  // namespace
}  // namespace irn
