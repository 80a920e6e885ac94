// SPDX-License-Identifier: BSD-3-Clause
// What munged vouches for is accepted of one user and root, for one text, as long as it is fresh;
// and a gateway whose munged hangs says so and waits for it once.
#include "common/munge_signature.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "common/key_file.hpp"
#include "gateway/munge_signer.hpp"
#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa::health::munge_signature_test {
namespace {

using test::error_of;
using ::testing::HasSubstr;

constexpr std::int64_t kSigned = 1'700'000'000;
constexpr uid_t kTrusted = 990;

Voucher voucher_for(std::string_view text, uid_t user = kTrusted,
                    std::string_view what = kSnapshotText) {
  return {munge_payload(text, kSigned, what), user};
}

// Empty when there is none.
std::string problem_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const Voucher& voucher, std::int64_t now = kSigned) {
  return problem_of([&] { check_voucher("text", voucher, kTrusted, now, 300); });
}

TEST(MungeSignature, IsAcceptedOfTheUserAndOfRootWhileItIsFresh) {
  for (const std::int64_t now : {kSigned, kSigned + 300, kSigned - 300}) {
    EXPECT_EQ(refusal(voucher_for("text"), now), "");
    EXPECT_EQ(refusal(voucher_for("text", 0), now), "");
  }
  EXPECT_THAT(refusal(voucher_for("text"), kSigned + 301), HasSubstr("signed 301 s ago, 300 s"));
  EXPECT_THAT(refusal(voucher_for("text"), kSigned - 301), HasSubstr("301 s in the future"));
}

TEST(MungeSignature, IsRefusedOfOthersAndForOtherTexts) {
  EXPECT_EQ(refusal(voucher_for("text", 1000)),
            "it is signed by user 1000, and user 990 is trusted here");
  EXPECT_THAT(refusal(voucher_for("Text")), HasSubstr("for another text"));
  EXPECT_THAT(refusal(voucher_for("text", kTrusted, kTopologyText)), HasSubstr("for another text"));
  for (const char* payload : {"", " ", "  ", "tofa.snapshot", "tofa.snapshot -1 x", "a b c d"}) {
    EXPECT_THAT(refusal({payload, kTrusted}), HasSubstr("for another text")) << payload;
  }
}

TEST(MungeSignature, IsRefusedWithAnyCharacterOfThePayloadChanged) {
  rc::check([] {
    Voucher voucher = voucher_for("text");
    const auto at = *rc::gen::inRange<std::size_t>(0, voucher.payload.size());
    const char was = voucher.payload[at];
    voucher.payload[at] = *rc::gen::distinctFrom(rc::gen::arbitrary<char>(), was);
    // Another digit of the time is another time, which munged would have to vouch for; it is fresh
    // or it is not.
    RC_PRE(was < '0' || was > '9' || at > std::string_view("tofa.snapshot 1700000000").size());
    RC_ASSERT(!refusal(voucher).empty());
  });
}

TEST(MungeSignature, HasACredential) {
  EXPECT_EQ(credential_in(munge_signature("MUNGE:AwQ=:")), "MUNGE:AwQ=:");
  EXPECT_THAT(error_of([] { credential_in("tofa-signature 1 7 00"); }), HasSubstr("with a key"));
  for (const std::string& text :
       {std::string(), std::string("x"), "MUNGE:" + std::string(5000, 'A') + ":",
        std::string("MUNGE:A\0A", 9)}) {
    EXPECT_THAT(error_of([&] { credential_in(munge_signature(text)); }), HasSubstr("malformed"));
  }
}

TEST(MungeSignature, TakesThePlaceOfAKey) {
  EXPECT_EQ(munge_socket_in("munge"), "");
  EXPECT_EQ(munge_socket_in("munge:/run/x"), "/run/x");
  for (const char* file : {"", "/munge", "munge.pub", "mung", "./munge"}) {
    EXPECT_EQ(munge_socket_in(file), std::nullopt) << file;
  }
  for (const char* wrong : {"munge:", "munge:x"}) {
    EXPECT_THAT(error_of([&] { munge_socket_in(wrong); }), HasSubstr("no path of munged's socket"));
  }
  EXPECT_EQ(std::get<MungeSocket>(read_signing_key("munge:/x")).path, "/x");
  const test::ScratchDirectory directory;
  const auto read = [&](const std::string& text) {
    const std::string path = directory.write("health.key", text);
    ::chmod(path.c_str(), 0600);
    return read_signing_key(path);
  };
  EXPECT_EQ(std::get<MungeSocket>(read("munge\n")).path, "");
  EXPECT_EQ(std::get<MungeSocket>(read("munge:/y")).path, "/y");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read("none\n")));
  EXPECT_EQ(std::get<KeyBytes>(read(std::string(64, '7'))), parse_secret_key(std::string(64, '7')));
  EXPECT_THAT(error_of([&] { read("munge:y"); }), HasSubstr("health.key: \"y\" is no path"));
}

// A munged that may be made to hang.
class FakeMunged {
 public:
  std::string encode(const std::string& payload) {
    ++questions;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !hangs_; });
    if (!problem.empty()) throw Error(ErrorKind::unavailable, problem);
    return "MUNGE:" + payload;
  }

  void hang(bool whether) {
    const std::lock_guard lock(mutex_);
    hangs_ = whether;
    changed_.notify_all();
  }

  std::atomic<int> questions = 0;
  std::string problem;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;
};

void wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class MungeSignerTest : public testing::Test {
 protected:
  MungeSigner signer(std::chrono::milliseconds limit = std::chrono::seconds(30)) {
    return {[munged = munged_](const std::string& payload) { return munged->encode(payload); },
            limit};
  }

  std::shared_ptr<FakeMunged> munged_ = std::make_shared<FakeMunged>();
};

TEST_F(MungeSignerTest, AsksOnceForATextAndASecond) {
  const MungeSigner sign = signer();
  const std::string first = sign("text", kSigned, kSnapshotText);
  EXPECT_EQ(first, munge_signature("MUNGE:" + munge_payload("text", kSigned, kSnapshotText)));
  EXPECT_EQ(sign("text", kSigned, kSnapshotText), first);
  EXPECT_EQ(munged_->questions, 1);
  EXPECT_NE(sign("text", kSigned, kTopologyText), first);
  EXPECT_EQ(sign("text", kSigned, kSnapshotText), first);
  EXPECT_EQ(munged_->questions, 2);
  EXPECT_NE(sign("text", kSigned + 1, kSnapshotText), first);
  EXPECT_EQ(munged_->questions, 3);
}

TEST_F(MungeSignerTest, SaysWhatIsWrongAndAsksAgain) {
  const MungeSigner sign = signer();
  munged_->problem = "no socket";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(error_of([&] { sign("text", kSigned, kSnapshotText); }),
              "answers cannot be signed: no socket");
  }
  munged_->problem.clear();
  EXPECT_NE(sign("text", kSigned, kSnapshotText), "");
}

TEST_F(MungeSignerTest, HasOneQuestionOpenWhileMungedHangs) {
  const MungeSigner sign = signer(std::chrono::milliseconds(1));
  munged_->hang(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(error_of([&] { sign("text", kSigned + i, kSnapshotText); }),
                HasSubstr("munged has owed an answer for more than 0.0 s"));
    wait_until([&] { return munged_->questions > 0; });
  }
  EXPECT_EQ(munged_->questions, 1);
  munged_->hang(false);
  wait_until([&] { return problem_of([&] { sign("text", kSigned + 9, kSnapshotText); }).empty(); });
}

}  // namespace
}  // namespace tofa::health::munge_signature_test
