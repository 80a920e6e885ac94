// SPDX-License-Identifier: BSD-3-Clause
// The heartbeat protocol: what is written is read back, and nothing else is.
#include "common/protocol.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tofa/host_index.hpp"

namespace tofa::health::protocol_test {
namespace {

const std::string kNonce = "0123456789abcdef0123456789abcdef";

const KeyBytes kKey = parse_secret_key(std::string(64, '3'));

TEST(HeartbeatProtocol, RequestIsReadBack) {
  const std::string request = format_request(kNonce);
  EXPECT_EQ(request.size(), kRequestSize);
  EXPECT_EQ(parse_request(request), kNonce);
}

TEST(HeartbeatProtocol, AnswerIsReadBack) {
  const HeartbeatAnswer answer{kNonce, "n007.cluster", "1b4e28ba-2fa1-11d2-883f-0016d3cca427",
                               86400};
  EXPECT_EQ(parse_answer(format_answer(answer)), answer);
}

TEST(HeartbeatProtocol, AnswerIsNeverLargerThanTheRequest) {
  const HeartbeatAnswer longest =
      sign({kNonce, std::string(kLongestHostName, 'n'), std::string(64, 'b'),
            std::numeric_limits<std::uint64_t>::max()},
           kKey);
  const std::string datagram = format_answer(longest);
  EXPECT_LE(datagram.size(), kRequestSize);
  EXPECT_EQ(parse_answer(datagram), longest);
}

TEST(HeartbeatProtocol, AFailureIsReadBackAndSigned) {
  HeartbeatAnswer answer{kNonce, "n1", "b", 5};
  set_failure(answer, "gpu: no device, see  log");
  EXPECT_EQ(answer.failure, "gpu: no device, see  log");
  EXPECT_EQ(format_answer(answer),
            "tofa-heartbeat 3 " + kNonce + " n1 b 5 gpu: no device, see  log\n");
  EXPECT_EQ(parse_answer(format_answer(answer)), answer);
  const HeartbeatAnswer with_mac = sign(answer, kKey);
  auto read = parse_answer(format_answer(with_mac));
  ASSERT_EQ(read, with_mac);
  EXPECT_TRUE(is_authentic(*read, kKey));
  read->failure = "gpu: something else";
  EXPECT_FALSE(is_authentic(*read, kKey));
  read->failure.clear();
  EXPECT_FALSE(is_authentic(*read, kKey)) << "taken away";
}

TEST(HeartbeatProtocol, AFailureTakesTheRoomThatIsLeft) {
  HeartbeatAnswer longest{kNonce, std::string(kLongestHostName, 'n'), std::string(64, 'b'),
                          std::numeric_limits<std::uint64_t>::max()};
  set_failure(longest, std::string(1000, 'x'));
  EXPECT_GE(longest.failure.size(), 50);
  longest = sign(longest, kKey);
  EXPECT_EQ(format_answer(longest).size(), kRequestSize);
  EXPECT_EQ(parse_answer(format_answer(longest)), longest);
  HeartbeatAnswer usual{kNonce, "n1", "b", 5};
  set_failure(usual, std::string(1000, 'x'));
  EXPECT_EQ(usual.failure.size(), kLongestFailure);
  set_failure(usual, "");
  EXPECT_EQ(usual.failure, "");
}

TEST(HeartbeatProtocol, RefusesFailuresThatAreNone) {
  const std::string head = "tofa-heartbeat 3 " + kNonce + " n1 b 5";
  EXPECT_TRUE(parse_answer(head + " x\n"));
  for (const std::string& tail :
       {std::string("\n"), std::string(" \n"), std::string("  x\n"), std::string(" x \n"),
        std::string(" x"), std::string(" x\ny\n"), std::string(" \x1b[0m\n"),
        " " + std::string(kLongestFailure + 1, 'x') + "\n"}) {
    EXPECT_FALSE(parse_answer(head + tail)) << tail;
  }
  HeartbeatAnswer answer{kNonce, "n1", "b", 5};
  set_failure(answer, "x");
  std::string whole = format_answer(sign(answer, kKey));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_answer(whole.substr(0, size))) << size;
  }
}

TEST(HeartbeatProtocol, RefusesOtherRequests) {
  const std::string request = format_request(kNonce);
  EXPECT_FALSE(parse_request(""));
  EXPECT_FALSE(parse_request(request.substr(0, 60))) << "too short: the answer would be larger";
  EXPECT_FALSE(parse_request(request + " ")) << "too long";
  std::string padded = request;
  padded.back() = 'x';
  EXPECT_FALSE(parse_request(padded)) << "padded with something else";
  std::string newer = request;
  newer[15] = '2';
  EXPECT_FALSE(parse_request(newer)) << "another version";
  EXPECT_FALSE(parse_request(format_request("0123"))) << "short nonce";
  EXPECT_FALSE(parse_request(format_request(std::string(32, 'Z')))) << "not hexadecimal";
}

TEST(HeartbeatProtocol, RefusesOtherAnswers) {
  const std::string head = "tofa-heartbeat 1 " + kNonce;
  EXPECT_TRUE(parse_answer(head + " n1 b 5\n"));
  for (const char* tail : {" n1 b 5", " n1 b\n", " n1 b 5 6\n", " n1 b -5\n", " n1 b 5\nx",
                           "  b 5\n", " n\x01 b 5\n", " n1 b 99999999999999999999\n", "\n"}) {
    EXPECT_FALSE(parse_answer(head + tail)) << tail;
  }
  EXPECT_FALSE(parse_answer("tofa-heartbeat 2 " + kNonce + " n1 b 5\n"));
  EXPECT_FALSE(parse_answer(head + " " + std::string(kLongestHostName + 1, 'n') + " b 5\n"));
}

TEST(HeartbeatProtocol, ASignedAnswerIsReadBackAndAuthentic) {
  const auto answer = parse_answer(format_answer(sign({kNonce, "n1", "b", 5}, kKey)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->host, "n1");
  EXPECT_TRUE(is_authentic(*answer, kKey));
  EXPECT_FALSE(is_authentic(*answer, parse_secret_key(std::string(64, '4')))) << "another key";
  EXPECT_FALSE(is_authentic({kNonce, "n1", "b", 5}, kKey)) << "not signed";
}

TEST(HeartbeatProtocol, NoPartOfASignedAnswerCanBeChanged) {
  const HeartbeatAnswer answer = sign({kNonce, "n1", "b", 5}, kKey);
  for (const auto& change : std::initializer_list<void (*)(HeartbeatAnswer&)>{
           [](HeartbeatAnswer& a) { a.nonce.front() = 'f'; },
           [](HeartbeatAnswer& a) { a.host = "n2"; }, [](HeartbeatAnswer& a) { a.boot_id = "c"; },
           [](HeartbeatAnswer& a) { a.uptime_seconds = 6; },
           [](HeartbeatAnswer& a) { a.failure = "x"; },
           [](HeartbeatAnswer& a) { a.mac.front() = a.mac.front() == '0' ? '1' : '0'; }}) {
    HeartbeatAnswer forged = answer;
    change(forged);
    EXPECT_FALSE(is_authentic(forged, kKey)) << format_answer(forged);
  }
}

TEST(HeartbeatProtocol, RefusesOtherSignedAnswers) {
  const std::string whole = format_answer(sign({kNonce, "n1", "b", 5}, kKey));
  EXPECT_TRUE(parse_answer(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_answer(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_answer(whole + " "));
  std::string capital = whole;
  capital[capital.size() - 2] = 'A';
  EXPECT_FALSE(parse_answer(capital));
  std::string unsigned_version = whole;
  unsigned_version[15] = '1';
  EXPECT_FALSE(parse_answer(unsigned_version)) << "a MAC where there is none";
}

TEST(HeartbeatProtocol, AnyBytesAreSafe) {
  EXPECT_TRUE(rc::check([](const std::string& noise) {
    RC_ASSERT(!parse_request(noise));
    RC_ASSERT(!parse_answer(noise));
    const std::string tail = "tofa-heartbeat 1 " + kNonce + noise;
    const auto answer = parse_answer(tail);
    if (answer) RC_ASSERT(format_answer(*answer) == tail);
  }));
}

}  // namespace
}  // namespace tofa::health::protocol_test
