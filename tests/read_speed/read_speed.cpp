// How fast a large CSV is read, on one thread and on several, and how much memory that takes.
//   irn_read_speed [ROWS [COLUMNS [THREADS]]]      defaults: 500,000 rows, 100 columns, 1 and 2 threads
// Makes the file in the temporary folder and removes it. Checks the table before it says anything about
// time. The first reading warms the page cache; the median of five is shown with the slowest and the fastest.
// On two cores of a server (AMD EPYC, g++ 12): 380 MB/s on one thread, 620 MB/s on two.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "irn/data/read_table.h"

namespace {

// Some column of numbers in [-5, 5) with six decimals, the same on every machine.
double value(std::size_t row, std::size_t column) {
  const std::uint64_t mixed = (row * 1000003 + column + 1) * 0x9E3779B97F4A7C15u;
  return static_cast<double>(mixed >> 40) / 16777216.0 * 10 - 5;
}

void write_csv(const std::string& path, std::size_t rows, std::size_t columns) {
  std::ofstream file(path, std::ios::binary);
  fmt::memory_buffer line;
  for (std::size_t c = 0; c < columns; ++c)
    fmt::format_to(std::back_inserter(line), "{}c{}", c ? "," : "", c);
  for (std::size_t r = 0; r < rows; ++r) {
    line.push_back('\n');
    for (std::size_t c = 0; c < columns; ++c)
      fmt::format_to(std::back_inserter(line), "{}{:.6f}", c ? "," : "", value(r, c));
    file.write(line.data(), static_cast<std::streamsize>(line.size()));
    line.clear();
  }
  file << '\n';
}

bool is_right(const irn::Frame& frame, std::size_t rows, std::size_t columns) {
  if (frame.rows() != rows || frame.width() != columns) return false;
  for (std::size_t r = 0; r < rows; r += 997)
    for (std::size_t c = 0; c < columns; ++c)
      if (std::abs(frame.row(r)[c] - value(r, c)) > 1e-6) return false;
  return true;
}

rusage usage() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  return now;
}

// What all threads together computed, in seconds: on a busy machine this says more than the clock on the wall.
double processor_seconds() {
  const rusage now = usage();
  return static_cast<double>(now.ru_utime.tv_sec + now.ru_stime.tv_sec) +
         static_cast<double>(now.ru_utime.tv_usec + now.ru_stime.tv_usec) * 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)) : otherwise;
  };
  const std::size_t rows = argument(1, 500000), columns = argument(2, 100), most_threads = argument(3, 2);
  const std::string path = (std::filesystem::temp_directory_path() / "irn_read_speed.csv").string();
  write_csv(path, rows, columns);
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  fmt::print("{} x {}: {:.0f} MB of CSV, {:.0f} MB as numbers\n", rows, columns, megabytes,
             static_cast<double>(rows * columns * sizeof(double)) / 1e6);
  bool right = true;
  for (std::size_t threads = 1; right && threads <= most_threads; ++threads) {
    irn::ThreadPool pool(threads);
    std::vector<double> speeds;
    double processor = 0;
    for (int repeat = 0; right && repeat < 6; ++repeat) {
      const double processor_start = processor_seconds();
      const auto start = std::chrono::steady_clock::now();
      const auto frame = irn::read_table(path, {}, pool);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      const double computed = processor_seconds() - processor_start;
      right = is_right(frame, rows, columns);
      if (repeat == 0) continue;
      speeds.push_back(megabytes / taken.count());
      processor += computed / 5;
    }
    std::sort(speeds.begin(), speeds.end());
    if (right)
      fmt::print(
          "{} threads: {:.0f} MB/s ({:.0f} to {:.0f}), {:.0f} MB/s of processor time, {:.0f} MB at most\n",
          threads, speeds[2], speeds.front(), speeds.back(), megabytes / processor,
          static_cast<double>(usage().ru_maxrss) / 1024);
  }
  std::filesystem::remove(path);
  if (!right) fmt::print(stderr, "the table read is not the table written\n");
  return right ? 0 : 1;
}
