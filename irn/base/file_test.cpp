#include "irn/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/new_file.h"

namespace irn {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::temp_directory_path() / ("irn-file-" + std::to_string(::getpid()) + "-" + test->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder;
};

template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(File, ComesBackAsWritten) {
  for (const std::string& content :
       {std::string(), std::string("a\0b\r\n", 5), std::string(3'000'000, 'x')}) {
    write_file_atomically(folder / "f", content);
    EXPECT_EQ(read_file(folder / "f"), content);
  }
  EXPECT_EQ(entries(), 1u) << "a temporary file is left behind";
}

TEST_F(File, KeepsPermissionsAndLinks) {
  write_file_atomically(folder / "real", "old");
  fs::permissions(folder / "real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real"), "new");
  EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(File, IsSeenOldOrNewButNeverHalf) {
  const std::string old_content(400'000, 'o'), new_content(500'000, 'n');
  write_file_atomically(folder / "f", old_content);
  std::jthread writer([&](const std::stop_token& stop) {
    for (bool old = false; !stop.stop_requested(); old = !old)
      write_file_atomically(folder / "f", old ? old_content : new_content);
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_file(folder / "f");
    ASSERT_TRUE(seen == old_content || seen == new_content);
  }
}

TEST_F(File, InPiecesIsThereOnceItIsKept) {
  write_file_atomically(folder / "f", "old");
  NewFile file(folder / "f");
  file.write("ne");
  file.write("w");
  EXPECT_EQ(read_file(folder / "f"), "old");
  EXPECT_TRUE(fs::exists(file.temporary()));
  file.keep();
  EXPECT_EQ(read_file(folder / "f"), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, InPiecesLeavesNothingUnlessItIsKept) {
  {
    NewFile(folder / "f").write("half");
  }
  EXPECT_EQ(entries(), 0u);
}

// A folder must not count as used because of what a killed program left in it.
TEST_F(File, AFolderHoldsNothingUntilAFileIsKept) {
  EXPECT_TRUE(holds_nothing(folder));
  NewFile file(folder / "f");
  file.write("half");
  EXPECT_TRUE(half_written(file.temporary()));
  EXPECT_TRUE(holds_nothing(folder));
  file.keep();
  EXPECT_FALSE(half_written(folder / "f"));
  EXPECT_FALSE(holds_nothing(folder));
}

// Another program that is killed while it writes.
void write_half_and_die(const fs::path& path) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    NewFile file(path);
    file.write("half");
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(File, WhatAKilledProgramLeftGoesWithTheNextFile) {
  write_half_and_die(folder / "f");
  EXPECT_EQ(entries(), 1u) << "nobody was killed in the middle: the test shows nothing";
  write_file_atomically(folder / "g", "whole");
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(read_file(folder / "g"), "whole");
}

TEST_F(File, OnlyWhatNobodyIsWritingIsCleared) {
  NewFile living(folder / "f");
  living.write("mine");
  write_half_and_die(folder / "g");
  for (const char* name : {".irn-1-", ".irn--1", ".irn-doctor-1", ".irn-1-0.csv", "irn-1-0"})
    write_file_atomically(folder / name, "another's");
  fs::create_directory(folder / ".irn-1-1");
  fs::create_symlink("irn-1-0", folder / ".irn-1-2");
  EXPECT_EQ(entries(), 9u);
  clear_half_written(folder);
  EXPECT_EQ(entries(), 8u);
  living.keep();
  EXPECT_EQ(read_file(folder / "f"), "mine");
}

TEST_F(File, WritersAreNotDisturbedByThoseWhoClear) {
  std::jthread clearer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) clear_half_written(folder);
  });
  // All writers are in one process, so that they compete for the same temporary names.
  const auto write_again_and_again = [&](const std::string& name) {
    for (int i = 0; i < 1000; ++i) {
      NewFile file(folder / name);
      file.write(name + std::to_string(i));
      file.keep();
      ASSERT_EQ(read_file(folder / name), name + std::to_string(i));
    }
  };
  std::vector<std::jthread> writers;
  for (const char* name : {"f", "g", "h"})
    writers.emplace_back([&, name] { EXPECT_EQ(message([&] { write_again_and_again(name); }), "no error"); });
}

TEST_F(File, SaysWhatIsWrongInOneLine) {
  const auto write = [](const fs::path& path) { return message([&] { write_file_atomically(path, "x"); }); };
  const auto read = [](const fs::path& path) { return message([&] { read_file(path); }); };
  const std::string missing = (folder / "no" / "f").string();
  EXPECT_EQ(write(missing), "cannot write '" + missing + "': No such file or directory");
  EXPECT_EQ(read(missing), "cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(write(folder), "cannot write '" + folder.string() + "': Is a directory");
  EXPECT_EQ(read(folder), "cannot read '" + folder.string() + "': Is a directory");
  write_file_atomically(folder / "f", "kept");
  EXPECT_THAT(write(folder / "f" / "g"), testing::HasSubstr("Not a directory"));
  EXPECT_EQ(read_file(folder / "f"), "kept");
}

TEST_F(File, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  EXPECT_EQ(message([] { write_file_atomically("/dev/full", "x"); }),
            "cannot write '/dev/full': No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device must not be replaced by a file";
}

TEST_F(File, RespectsAFolderThatMayNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "the administrator may write everywhere";
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(message([&] { write_file_atomically(folder / "f", "x"); }),
              testing::HasSubstr("Permission denied"));
  fs::permissions(folder, fs::perms::owner_all);
}

}  // namespace
}  // namespace irn
