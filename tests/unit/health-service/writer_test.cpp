// SPDX-License-Identifier: BSD-3-Clause
// The writer's thread at a real database: a task that waits is a disk that hangs.
#include "healthd/writer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <future>
#include <thread>

#include "common/snapshot.hpp"
#include "healthd/sqlite.hpp"
#include "support.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa::health::writer_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kDeadline{30};

class WriterTest : public ::testing::Test {
 protected:
  WriterTest() { EXPECT_TRUE(writer_->await_opened(Writer::Clock::now() + kDeadline)); }

  SaveBatch batch_at(double round) {
    return {.records = {{.name = "a", .seen = true, .method = "ewma", .estimate = "0.5"}},
            .transitions = {{"a", false, round}, {"a", true, round + 0.5}},
            .last_round = round};
  }
  Publication snapshot_at(double time) {
    return {{.time = time, .period = 1, .hosts = {}, .outages = {}, .warnings = {}}, snapshot_};
  }
  // As a disk that answers when `release_` is set.
  std::uint64_t hang() {
    const auto begun = std::make_shared<std::promise<void>>();
    auto has_begun = begun->get_future();
    const std::uint64_t number =
        writer_->run([begun, released = release_.get_future().share()](Store&) {
          begun->set_value();
          released.wait_for(kDeadline);
        });
    EXPECT_EQ(has_begun.wait_for(kDeadline), std::future_status::ready);
    return number;
  }
  bool finish(std::uint64_t number) {
    return writer_->finish(number, Writer::Clock::now() + kDeadline);
  }
  std::size_t saved_outages() {
    const Database other = open_database(path_, SQLITE_OPEN_READWRITE);
    Statement rows(other.get(), "SELECT count(*) FROM outage");
    return rows.step() ? static_cast<std::size_t>(rows.integer(0)) : 0;
  }

  test::ScratchDirectory directory_;
  std::string path_ = directory_ / "health.db";
  std::string snapshot_ = directory_ / "snapshot.json";
  std::promise<void> release_;
  std::unique_ptr<Writer> writer_ = std::make_unique<Writer>([this] { return Store(path_); });
};

TEST_F(WriterTest, SavesThenPublishesThenTells) {
  writer_->save(batch_at(1));
  const std::uint64_t number = writer_->publish(snapshot_at(1));
  ASSERT_TRUE(finish(number));
  EXPECT_EQ(saved_outages(), 1);
  EXPECT_EQ(read_snapshot(snapshot_).time, 1);
  pollfd told{writer_->fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&told, 1, 30'000), 1);
  const WriterNews news = writer_->news();
  EXPECT_EQ(news.done, number);
  EXPECT_TRUE(news.tried_to_publish);
  EXPECT_EQ(news.save_trouble + news.publish_trouble + news.damage + news.only_in_memory, "");
  EXPECT_FALSE(writer_->news().tried_to_publish) << "that is no news any more";
}

// Into a pipe that is full, which shows when the first byte is written.
TEST_F(WriterTest, IsSavedBeforeItBeginsToBePublished) {
  ASSERT_EQ(::mkfifo(snapshot_.c_str(), 0600), 0);
  const FileDescriptor reader(::open(snapshot_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ASSERT_GT(::fcntl(reader.get(), F_SETPIPE_SZ, 4096), 0);
  Publication large = snapshot_at(1);
  for (int i = 0; i < 1000; ++i) large.snapshot.warnings.push_back("w" + std::to_string(i));
  writer_->save(batch_at(1));
  const std::uint64_t number = writer_->publish(std::move(large));
  pollfd begun{reader.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&begun, 1, 30'000), 1);
  EXPECT_EQ(saved_outages(), 1);
  EXPECT_FALSE(writer_->finish(number, Writer::Clock::now()));
  std::array<char, 4096> part{};
  const auto end = Writer::Clock::now() + kDeadline;
  bool finished = false;
  while (!finished && Writer::Clock::now() < end) {
    (void)::read(reader.get(), part.data(), part.size());
    finished = writer_->finish(number, Writer::Clock::now() + std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(finished);
}

TEST_F(WriterTest, NobodyWaitsForADiskThatHangs) {
  ASSERT_TRUE(finish(writer_->publish(snapshot_at(1))));
  const std::uint64_t hung = hang();
  for (int round = 2; round < 1000; ++round) {
    writer_->save(batch_at(round));
    writer_->publish(snapshot_at(round));
  }
  EXPECT_FALSE(writer_->finish(hung, Writer::Clock::now()));
  EXPECT_TRUE(writer_->busy_since());
  EXPECT_EQ(saved_outages(), 0);
  EXPECT_EQ(read_snapshot(snapshot_).time, 1) << "the old one stays";
  release_.set_value();
  ASSERT_TRUE(finish(writer_->publish(snapshot_at(1000))));
  EXPECT_EQ(saved_outages(), 998);
  EXPECT_EQ(read_snapshot(snapshot_).time, 1000);
}

TEST_F(WriterTest, WhatWaitsCanBeTakenBack) {
  hang();
  bool done = false;
  const std::uint64_t number = writer_->run([&done](Store&) { done = true; });
  EXPECT_TRUE(writer_->withdraw(number));
  release_.set_value();
  ASSERT_TRUE(finish(number));
  EXPECT_FALSE(done);
  EXPECT_FALSE(writer_->withdraw(number));
}

TEST_F(WriterTest, WhatTheDiskRefusesIsKeptAndPublished) {
  const Database other = open_database(path_, SQLITE_OPEN_READWRITE);
  execute(
      other.get(),
      "CREATE TRIGGER full BEFORE INSERT ON outage BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  writer_->save(batch_at(1));
  ASSERT_TRUE(finish(writer_->publish(snapshot_at(1))));
  const WriterNews news = writer_->news();
  EXPECT_TRUE(news.tried_to_save);
  EXPECT_THAT(news.save_trouble, HasSubstr("disk full"));
  EXPECT_EQ(read_snapshot(snapshot_).time, 1);
  execute(other.get(), "DROP TRIGGER full");
  ASSERT_TRUE(finish(writer_->save(batch_at(2))));
  EXPECT_EQ(writer_->news().save_trouble, "");
  EXPECT_EQ(saved_outages(), 2) << "both";
}

TEST_F(WriterTest, ASnapshotThatCannotBeWrittenIsReported) {
  snapshot_ = directory_ / "missing/snapshot.json";
  ASSERT_TRUE(finish(writer_->publish(snapshot_at(1))));
  EXPECT_THAT(writer_->news().publish_trouble, HasSubstr("missing/snapshot.json"));
}

TEST_F(WriterTest, EndsWithoutTheDisk) {
  hang();
  writer_->save(batch_at(1));
  writer_.reset();
  EXPECT_EQ(saved_outages(), 0);
  release_.set_value();
}

// A store that takes until `release_` is set to be opened.
class SlowOpeningTest : public WriterTest {
 protected:
  SlowOpeningTest() {
    writer_.reset();
    Store(path_).save(batch_at(1).records, batch_at(1).transitions, 1);
    writer_ = std::make_unique<Writer>([path = path_, released = release_.get_future().share()] {
      // In a thread that may outlive the test.
      released.wait_for(kDeadline);
      return Store(path);
    });
  }
  Notice notice() const { return {snapshot_, "waiting", 5, 1}; }
  void await_notice() {
    const auto end = Writer::Clock::now() + kDeadline;
    while (Writer::Clock::now() < end && published_warnings().empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::vector<std::string> published_warnings() const {
    try {
      return read_snapshot(snapshot_).warnings;
    } catch (const Error&) {
      return {};
    }
  }
};

TEST_F(SlowOpeningTest, NobodyWaitsForIt) {
  EXPECT_FALSE(writer_->opened());
  EXPECT_TRUE(writer_->busy_since());
  writer_->save(batch_at(2));
  const std::uint64_t number = writer_->publish(snapshot_at(2));
  EXPECT_FALSE(writer_->finish(number, Writer::Clock::now()));
  EXPECT_FALSE(writer_->await_opened(Writer::Clock::now()));
  EXPECT_EQ(writer_->news().done, 0);
  release_.set_value();
  ASSERT_TRUE(writer_->await_opened(Writer::Clock::now() + kDeadline));
  pollfd told{writer_->fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&told, 1, 30'000), 1);
  const auto contents = writer_->opened();
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->outages.size(), 1) << "what there was when it was opened";
  EXPECT_FALSE(writer_->opened()) << "once";
  ASSERT_TRUE(finish(number));
  EXPECT_EQ(saved_outages(), 2);
  EXPECT_EQ(read_snapshot(snapshot_).time, 2);
  EXPECT_FALSE(writer_->busy_since());
}

TEST_F(SlowOpeningTest, TheLastSnapshotStaysWithANotice) {
  Snapshot last = snapshot_at(3).snapshot;
  last.hosts = {{"a", 0.5, 2}};
  last.outages = {{"a", 1, 2, "heartbeat"}};
  write_snapshot(last, snapshot_);
  writer_->tell(notice());
  await_notice();
  Snapshot told = read_snapshot(snapshot_);
  EXPECT_THAT(told.warnings, ElementsAre("waiting"));
  told.warnings.clear();
  EXPECT_EQ(told, last);
  writer_->tell(notice());
  release_.set_value();
  ASSERT_TRUE(finish(writer_->publish(snapshot_at(4))));
  EXPECT_THAT(published_warnings(), ElementsAre());
}

TEST_F(SlowOpeningTest, WithoutASnapshotThereIsTheNoticeAlone) {
  writer_->tell(notice());
  await_notice();
  const Snapshot told = read_snapshot(snapshot_);
  EXPECT_EQ(told, (Snapshot{5, 1, {}, {}, {"waiting"}}));
  release_.set_value();
}

TEST_F(SlowOpeningTest, ASnapshotThatCannotBeReadStays) {
  write_file_atomically(snapshot_, "of a version to come");
  writer_->tell(notice());
  release_.set_value();
  ASSERT_TRUE(writer_->await_opened(Writer::Clock::now() + kDeadline));
  writer_.reset();
  EXPECT_EQ(read_file(snapshot_), "of a version to come");
}

TEST_F(SlowOpeningTest, EndsWithoutIt) {
  writer_->save(batch_at(2));
  writer_.reset();
  EXPECT_EQ(saved_outages(), 1);
  release_.set_value();
}

TEST(WriterThatCannotOpen, SaysWhy) {
  Writer writer([]() -> Store { throw Error(ErrorKind::unavailable, "no such disk"); });
  ASSERT_TRUE(writer.await_opened(Writer::Clock::now() + kDeadline));
  try {
    (void)writer.opened();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no such disk");
  }
  EXPECT_FALSE(writer.finish(writer.save({}), Writer::Clock::now()));
}

}  // namespace
}  // namespace tofa::health::writer_test
