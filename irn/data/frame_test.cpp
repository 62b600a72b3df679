#include "irn/data/frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "irn/data/csv.h"

namespace irn {
namespace {

template <class T>
std::uint64_t print_of(std::string_view text) {
  MemorySource source("data.csv", text);
  ThreadPool threads(1);
  return fingerprint(read_csv(source, {}, threads));
}

TEST(Fingerprint, IsTheSameForTheSameTableHoweverItIsWritten) {
  EXPECT_EQ(print_of<float>("a,b\n1,x\n2,y\n"), print_of<float>("\"a\";b\r\n1.0;x\r\n2e0;\"y\"\r\n"));
}

TEST(Fingerprint, TellsTablesApartWhateverDiffers) {
  const std::set<std::uint64_t> prints = {
      print_of<double>("a,b\n1,x\n2,y\n"),          // and now another
      print_of<double>("a,c\n1,x\n2,y\n"),          // name
      print_of<double>("a,b\n1,x\n2,z\n"),          // text
      print_of<double>("a,b\n1,x\n2,x\n"),          // choice of texts
      print_of<double>("a,b\n2,y\n1,x\n"),          // order
      print_of<double>("a,b\n1,x\n2.0000001,y\n"),  // value, in its last digits
      print_of<double>("a,b\n1,x\n,y\n"),           // missing value
      print_of<double>("a,b\n1,x\n2,y\n2,y\n"),     // number of rows
      print_of<double>("b,a\nx,1\ny,2\n")};         // order of columns
  EXPECT_EQ(prints.size(), 9u);
}

}  // namespace
}  // namespace irn
