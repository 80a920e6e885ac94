// SPDX-License-Identifier: BSD-3-Clause
// Reading and replacing files: limits, directories, pipes with and without a writer, links and
// permissions.
#include "tofa/file_io.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "support.hpp"

namespace tofa {
namespace {

using test::contents;
using test::error_of;
using test::ScratchDirectory;
using testing::HasSubstr;

std::size_t files_in(const ScratchDirectory& directory) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    count += entry.exists() ? 1 : 0;
  }
  return count;
}

TEST(ReadFile, WholeContents) {
  const ScratchDirectory scratch;
  EXPECT_EQ(read_file(scratch.write("empty", "")), "");
  EXPECT_EQ(read_file(scratch.write("some", "a\nb")), "a\nb");
  const std::string big(3'000'000, 'x');
  EXPECT_EQ(read_file(scratch.write("big", big)), big);
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(ReadFile, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  EXPECT_EQ(error_of([&] { read_file(scratch / "none"); }),
            scratch / "none: cannot open: No such file or directory; name a file that exists");
  EXPECT_EQ(error_of([&] { read_file(scratch.path()); }),
            scratch.path() + ": cannot read: Is a directory");
  const std::string file = scratch.write("large", std::string((1 << 20) + 1, 'x'));
  EXPECT_THAT(error_of([&] { read_file(file, {.max_bytes = 1 << 20}); }),
              HasSubstr("larger than the 1 MiB"));
}

TEST(ReadFile, EndlessDeviceStopsAtTheLimit) {
  EXPECT_THAT(error_of([] { read_file("/dev/zero", {.max_stream_bytes = 1 << 20}); }),
              HasSubstr("larger than the 1 MiB"));
}

TEST(ReadFile, PipeIsReadToItsEnd) {
  const ScratchDirectory scratch;
  const std::string fifo = scratch / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string text(200'000, 'y');
  std::thread writer([&] { std::ofstream(fifo) << text; });
  EXPECT_EQ(read_file(fifo), text);
  writer.join();
}

TEST(ReadFile, PipeWithoutWriterEndsAtTheDeadline) {
  const ScratchDirectory scratch;
  const std::string fifo = scratch / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_file(fifo, {.stream_seconds = 0.05}); }),
              HasSubstr("did not end within 0.05 s"));
}

// Like the pipe of another user, a socket can be read, but not opened anew.
TEST(ReadFile, StandardInputIsReadAsItWasHandedOver) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  FileDescriptor other(ends[1]);
  const FileDescriptor before(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  ::close(ends[0]);
  ASSERT_EQ(::write(other.get(), "n1,100,200\n", 11), 11);
  ::close(other.release());
  EXPECT_EQ(read_file("/dev/stdin"), "n1,100,200\n");
  before ? ::dup2(before.get(), STDIN_FILENO) : ::close(STDIN_FILENO);
}

TEST(WriteFile, CreatesAndReplaces) {
  const ScratchDirectory scratch;
  const std::string file = scratch / "out";
  write_file_atomically(file, "one");
  EXPECT_EQ(contents(file), "one");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  write_file_atomically(file, "two");
  EXPECT_EQ(contents(file), "two");
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640U);
  EXPECT_EQ(files_in(scratch), 1U);
}

TEST(WriteFile, KeepsSymbolicLinks) {
  const ScratchDirectory scratch;
  const std::string file = scratch.write("real", "old");
  std::filesystem::create_symlink("real", scratch / "link");
  write_file_atomically(scratch / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
  EXPECT_EQ(contents(file), "new");
}

TEST(WriteFile, FailureLeavesNothingBehind) {
  const ScratchDirectory scratch;
  EXPECT_EQ(error_of([&] { write_file_atomically(scratch / "no/such", "x"); }),
            scratch / "no/such: cannot write: No such file or directory");
  EXPECT_THAT(error_of([&] { write_file_atomically(scratch.path(), "x"); }),
              HasSubstr("Is a directory"));
  EXPECT_EQ(files_in(scratch), 0U);
}

TEST(WriteFile, DevicesAreNotReplaced) {
  write_file_atomically("/dev/null", "x");
  struct stat info {};
  ASSERT_EQ(::stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST(WriteFile, PipeWithoutReaderIsAnError) {
  const ScratchDirectory scratch;
  const std::string fifo = scratch / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { write_file_atomically(fifo, "x"); }), HasSubstr("cannot write"));
}

TEST(FileInMemory, IsReadByItsPathWhileItIsOpen) {
  const std::string text(300'000, 'x');
  std::string path;
  {
    const FileDescriptor file = file_in_memory("tofa-test", text);
    path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file.get());
    EXPECT_EQ(read_file(path), text);
  }
  EXPECT_FALSE(path_exists(path));
}

}  // namespace
}  // namespace tofa
