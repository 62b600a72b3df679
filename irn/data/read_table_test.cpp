#include "irn/data/read_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class ReadTable : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view content) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  Frame read(const std::string& path, const ReadOptions& options = {}) {
    return read_table(path, options, threads_);
  }

  const fs::path folder_ = fs::temp_directory_path() / ("irn_read_table_" + std::to_string(::getpid()));
  ThreadPool threads_{2};
};

std::string gzip(const std::string& content) {
  std::string packed(compressBound(content.size()) + 32, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST_F(ReadTable, FilesAreKnownByTheirFirstBytes) {
  EXPECT_THAT(read(write("a.csv", "a,b\n1,2\n")).row(0), ElementsAre(1, 2));
  EXPECT_THAT(read(write("a", gzip("a,b\n1,2\n"))).row(0), ElementsAre(1, 2));
  EXPECT_THAT(read(write("b", std::string("\0\0\x08\1\0\0\0\1\5", 9))).row(0), ElementsAre(5));
  EXPECT_EQ(read(write("a.tsv", "a,b,c\td\n1\t2\n")).columns()[0].name, "a,b,c");
  EXPECT_EQ(read(write("a.tsv.gz", gzip("a,b,c\td\n1\t2\n"))).columns()[0].name, "a,b,c");
}

TEST_F(ReadTable, AGzipFileIsReadTwiceIfNeeded) {
  std::string text = "a\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + "\n";
  const std::string path = write("a.csv.gz", gzip(text) + gzip("x\n") + std::string(512, '\0'));
  const Frame frame = read(path, {.csv = {.block_bytes = 128}});
  EXPECT_EQ(frame.rows(), 1001u);
  EXPECT_EQ(frame.columns()[0].categories.back(), "x");
}

TEST_F(ReadTable, DamagedGzipIsRefused) {
  const std::string good = gzip("a,b\n1,2\n3,4\n");
  EXPECT_THAT(refusal([&] { read(write("a.gz", good.substr(0, good.size() - 3))); }), HasSubstr("truncated"));
  std::string bad = good;
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
  EXPECT_THAT(refusal([&] { read(write("a.gz", bad)); }), HasSubstr("damaged"));
  EXPECT_THAT(refusal([&] { read(write("a.gz", good + "tail")); }), HasSubstr("damaged"));
}

TEST_F(ReadTable, ImagesFindTheirLabels) {
  const std::string images =
      write("t-images-idx3-ubyte", std::string("\0\0\x08\3\0\0\0\1\0\0\0\1\0\0\0\2\1\2", 18));
  EXPECT_EQ(read(images).width(), 2u);
  const std::string labels = write("t-labels-idx1-ubyte", std::string("\0\0\x08\1\0\0\0\1\7", 9));
  EXPECT_THAT(read(images).row(0), ElementsAre(1, 2, 7));
  const std::string others = write("others.gz", gzip(std::string("\0\0\x08\1\0\0\0\1\3", 9)));
  EXPECT_THAT(read(images, {.labels = others}).row(0), ElementsAre(1, 2, 3));
}

TEST_F(ReadTable, APipeIsReadLikeAFile) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(::system(("mkfifo " + path).c_str()), 0);
  for (const std::string& content : {std::string("a,b\n1,2\n"), gzip("a,b\n1,2\n")}) {
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
    EXPECT_THAT(read(path).row(0), ElementsAre(1, 2));
    writer.join();
  }
}

// Looking at the first bytes of a pipe for one format after the other loses none of them.
TEST_F(ReadTable, APipeIsReadFromItsBeginning) {
  for (const std::string& content :
       {std::string("\0\0\x08\1\0\0\0\1\5", 9), std::string("a\n5\n"), gzip("a\n5\n")}) {
    const std::string path = (folder_ / "pipe").string();
    ASSERT_EQ(::system(("rm -f " + path + " && mkfifo " + path).c_str()), 0);
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
    const Frame frame = read(path);
    writer.join();
    EXPECT_THAT(frame.row(0), ElementsAre(5));
  }
}

TEST_F(ReadTable, WhatCannotBeReadIsNamed) {
  EXPECT_THAT(refusal([&] { read((folder_ / "absent.csv").string()); }),
              HasSubstr("absent.csv': No such file"));
  EXPECT_THAT(refusal([&] { read(folder_.string()); }), HasSubstr("directory"));
}

// NumPy writes the files, and the same numbers as text.
constexpr const char* numpy_script = R"(
import sys, numpy as np
folder = sys.argv[1]
rng = np.random.default_rng(1)
for order in 'CF':
    for code in ['f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', '?', '>f8', '>i4']:
        a = (rng.random((37, 5)) * 100).astype(code)
        name = f"{folder}/{code.replace('>', 'big').replace('?', 'bool')}{order}"
        np.save(name + '.npy', np.asarray(a, order=order))
        np.savetxt(name + '.csv', a.astype(float), delimiter=',', header='x0,x1,x2,x3,x4', comments='', fmt='%.17g')
x, y = rng.random((1000, 3)), rng.integers(0, 3, 1000)
np.savez(folder + '/plain.npz', y=y, x=x)
np.savez_compressed(folder + '/packed.npz', y=y, x=x)
both = np.column_stack([x, y])
for name in ['plain', 'packed']:
    np.savetxt(f'{folder}/{name}.csv', both, delimiter=',', header='x0,x1,x2,y', comments='', fmt='%.17g')
)";

TEST_F(ReadTable, WhatNumpyWritesIsReadAsItsText) {
  const std::string script = write("script.py", numpy_script);
  if (::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "needs python3-numpy";
  ASSERT_EQ(::system(("/usr/bin/python3 " + script + " " + folder_.string()).c_str()), 0);
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".npy" && entry.path().extension() != ".npz") continue;
    const auto array = read_table(entry.path().string(), {}, threads_);
    const auto text = read_table(fs::path(entry.path()).replace_extension("csv").string(), {}, threads_);
    ASSERT_EQ(array.rows(), text.rows()) << entry.path();
    for (std::size_t c = 0; c < array.width(); ++c)
      EXPECT_EQ(array.columns()[c].name, text.columns()[c].name);
    for (std::size_t r = 0; r < array.rows(); ++r)
      EXPECT_TRUE(std::ranges::equal(array.row(r), text.row(r))) << entry.path() << " row " << r;
    ++compared;
  }
  EXPECT_EQ(compared, 28);
}

TEST_F(ReadTable, FilesOfOtherProgramsAreNamed) {
  const auto bytes = []<std::size_t n>(const char(&text)[n]) { return std::string(text, n - 1); };
  const std::string mark = "\xEF\xBB\xBF";
  const std::tuple<std::string, const char*, const char*> files[] = {
      {bytes("PAR1\x15\0\x15"), "a Parquet file", "pandas.read_parquet(FILE).to_csv("},
      {bytes("ARROW1\0\0abc"), "an Arrow (Feather) file", "read_feather"},
      {bytes("FEA1\0\0\0\0"), "a Feather file", "read_feather"},
      {bytes("\xFF\xFF\xFF\xFF\x10\0"), "an Arrow stream", "pyarrow"},
      {bytes("\x89HDF\r\n\x1A\n"), "an HDF5 file", "h5py"},
      {bytes("MATLAB 5.0 MAT-file, Platform\0"), "a MATLAB file", "loadmat"},
      {bytes("$FL2@(#) SPSS DATA FILE\0"), "an SPSS file", "read_spss"},
      {bytes("<stata_dta><header>"), "a Stata file", "read_stata"},
      {bytes("\0\0\0\0\0\0\0\0\0\0\0\0\xC2\xEA\x81\x60\xB3"), "a SAS file", "read_sas"},
      {gzip(bytes("X\n\0\0\0\3")), "a file of R", "write.csv"},
      {bytes("\x80\x04\x95\0\0"), "a pickle of Python", "read_pickle"},
      {bytes("\x80\x02(cpandas\n"), "a pickle of Python", "read_pickle"},
      {bytes("\x80\x03(cpandas\n"), "a pickle of Python", "read_pickle"},
      {bytes("SQLite format 3\0x"), "a SQLite database", "sqlite3 -header"},
      {"\xD0\xCF\x11\xE0 etc", "an Excel workbook", "Save the sheet"},
      {bytes("\x89PNG\r\n\x1A\n\0"), "a picture (PNG)", "numpy.save"},
      {"[\r\n  {\"a\": 1}]", "JSON", "read_json"},
      {"\n  [ [1, 2], [3, 4] ]", "JSON", "read_json"},
      {"{\"a\": 1}\n{\"a\": 2}\n", "JSON", "lines=True"},
      {"{ \"a\": 1 }", "JSON", "read_json"},
      {"{\r\n  \"a\": 1\r\n}", "JSON", "read_json"},
      {"{}", "JSON", "read_json"},
      {"{ }\n", "JSON", "read_json"},
      {"{}\n{\"a\": 1}\n", "JSON", "lines=True"},
      {mark + "{\"a\": 1}\n", "JSON", "read_json"},
      {mark + "[\n{}]", "JSON", "read_json"},
      {mark + "@relation iris\n@data\n1\n", "an ARFF file", "@data by one line"},
      {gzip(mark + "% Iris\n@relation iris\n"), "an ARFF file", "@data by one line"},
      {mark + "<!DOCTYPE html>\r\n<table>", "a page of HTML", "Save its table"},
      {"<html>\r\n<table>", "a page of HTML", "Save its table"},
      {"@relation iris\n@attribute a numeric\n@data\n1\n", "an ARFF file", "@data by one line"},
      {gzip("% Iris\n%\n\n  @RELATION\tiris\n@DATA\n1\n"), "an ARFF file", "@data by one line"},
      {"<!DOCTYPE html>\n<table>", "a page of HTML", "Save its table"},
      {"BZh11AY&SY1234", "packed with bzip2", "bzip2 -d"},
      {"BZh91AY&SY1234", "packed with bzip2", "bzip2 -d"}};
  for (const auto& [content, what, advice] : files) {
    const std::string path = write("f", content), said = refusal([&] { read(path); });
    EXPECT_THAT(said, StartsWith(path + ": " + what));
    EXPECT_THAT(said, HasSubstr(", which irn does not read; it reads CSV, TSV, NPY, NPZ or IDX. "));
    EXPECT_THAT(said, HasSubstr(advice));
    EXPECT_EQ(refusal([&] { open_table(path, {}, {}, threads_); }), said);
  }
  for (const char* header : {"PAR1,SQLite format 3", "[m],{s}", "<html>,b", "% fat,@relation", "@relation,b",
                             "%,b\n%,c", "{s},[", "\n\n% x,@relation", "{},b", "{ } ,{}", "{},\"b\"",
                             "BZh01AY&SY,b", "BZh9,b", "\xEF\xBB\xBF{},b", "\xEF\xBB\xBF%,b"})
    EXPECT_EQ(read(write("f", std::string(header) + "\n1,2\n")).width(), 2u)
        << "a table like others: " << header;
  EXPECT_EQ(read(write("f", "{}\n1\n2\n")).rows(), 2u);
}

TEST_F(ReadTable, ALongCommentBeforeARelationIsReadOnce) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "% what the columns of this table are, at some length\n";
  EXPECT_THAT(refusal([&] { read(write("f", gzip(text + "@relation r\n"))); }), HasSubstr("an ARFF file"));
}

// At first the pipe has only its header line.
TEST_F(ReadTable, AnOpenPipeIsNotAskedForMoreThanTells) {
  const std::string path = (folder_ / "pipe").string();
  ASSERT_EQ(::system(("mkfifo " + path).c_str()), 0);
  for (const char* header : {"a,b\n", "@r,b\n", "[m],b\n", "{},b\n"}) {
    std::atomic<bool> opened = false;
    std::thread writer([&] {
      std::ofstream pipe(path, std::ios::binary);
      pipe << header << std::flush;
      for (int i = 0; i < 200 && !opened; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_TRUE(opened) << header;
      pipe << "1,2\n";
    });
    const OpenTable table = open_table(path, {}, {}, threads_);
    opened = true;
    writer.join();
    EXPECT_NE(table.stream, nullptr);
  }
}

TEST_F(ReadTable, SeveralFilesAreReadAsOne) {
  const std::vector<std::string> files = {write("a.csv", "x,c\n1,red\n2,blue\n"),
                                          write("b.csv", "x,c\n\n3,green\n"),
                                          write("c.csv", "x,c\n4,blue\n")};
  const Frame all = read_tables(files, {}, threads_);
  ASSERT_EQ(all.rows(), 4u);
  EXPECT_EQ(all.columns()[1].categories, (std::vector<std::string>{"red", "blue", "green"}));
  EXPECT_THAT(all.row(2), ElementsAre(3, 2));
  EXPECT_THAT(all.row(3), ElementsAre(4, 1));
  EXPECT_THAT(all.place(1), HasSubstr("a.csv, line 3"));
  EXPECT_THAT(all.place(2), HasSubstr("b.csv, line 3"));
  EXPECT_THAT(all.place(3), HasSubstr("c.csv, line 2"));
}

TEST_F(ReadTable, AColumnThatIsTextInOneFileIsTextInAll) {
  const std::vector<std::string> files = {write("a.csv", "x,zip\n1,01\n"), write("b.csv", "x,zip\n2,8a\n"),
                                          write("c.csv", "x,zip\n3,007\n")};
  for (const auto& order : {std::vector{0, 1, 2}, std::vector{1, 0, 2}, std::vector{0, 2, 1}}) {
    std::vector<std::string> some, texts;
    for (const int k : order)
      some.push_back(files[std::size_t(k)]), texts.push_back(k == 0 ? "01" : k == 1 ? "8a" : "007");
    EXPECT_EQ(read_tables(some, {}, threads_).columns()[1].categories, texts);
  }
}

TEST_F(ReadTable, FilesOfOtherColumnsAreRefusedWithFileAndLine) {
  const std::string a = write("a.csv", "x,y\n1,2\n");
  const auto refused = [&](const std::string& content) {
    const std::vector<std::string> both = {a, write("b.csv", content)};
    return refusal([&] { read_tables(both, {}, threads_); });
  };
  EXPECT_THAT(refused("x,z\n1,2\n"), HasSubstr("b.csv, line 1: column 2 is 'z' where"));
  EXPECT_THAT(refused("\nx,y,z\n1,2,3\n"), HasSubstr("b.csv, line 2: 3 columns where"));
  EXPECT_THAT(refused("1,2\n"), HasSubstr("b.csv: column 1 is 'column1' where"));
  const std::vector<std::string> piped = {a, "-"};
  EXPECT_THAT(refusal([&] { read_tables(piped, {}, threads_); }), HasSubstr("standard input is read alone"));
}

}  // namespace
}  // namespace irn
