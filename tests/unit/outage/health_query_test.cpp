// SPDX-License-Identifier: BSD-3-Clause
// Asking the health service through a helper program: here programs that behave in every way a
// helper might.
#include "tofa/health_query.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kLong = 60;  // never reached by a helper that ends

constexpr double kNow = 1.7e9;

// What tofa-query prints about hosts with such probabilities, ages and rates.
struct Estimate {
  std::string host;
  double probability = 0;
  double age = 0;
  double rate = 0;
};
Snapshot snapshot_of(const std::vector<Estimate>& estimates) {
  Snapshot snapshot{kNow, 1, {}, {}};
  for (const Estimate& e : estimates)
    snapshot.hosts.push_back({e.host, e.probability, kNow - e.age, true, e.rate});
  return snapshot;
}
std::string printing(const std::vector<Estimate>& estimates) {
  return "printf '%s' '" + format_snapshot(snapshot_of(estimates)) + "'";
}
const std::string kNoHosts = printing({});

// The message of an error, which by default has nothing to do with what the user wrote.
std::string failure(const std::function<void()>& action, ErrorKind kind = ErrorKind::unavailable) {
  return test::error_of([&] {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      throw;
    }
  });
}

class HealthQueryTest : public ::testing::Test {
 protected:
  HealthQueryTest() { ::unsetenv("TOFA_QUERY"); }
  ~HealthQueryTest() override { ::unsetenv("TOFA_QUERY"); }

  // A shell script as the helper.
  std::string make_program(const std::string& script, const std::string& name = "helper") {
    const std::string path = directory_.write(name, "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }

  OutageList ask(const std::string& script, double deadline = kLong) {
    return query_health(
        {.uri = "10.0.0.1:7412", .program = make_program(script), .deadline_seconds = deadline});
  }

  test::ScratchDirectory directory_;
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

TEST_F(HealthQueryTest, ReturnsWhatTheHelperPrints) {
  const OutageList outages = ask(printing({{"n001", 0.25, 3}, {"n002", 0, 1.5}}));
  ASSERT_EQ(outages.size(), 2);
  EXPECT_EQ(outages[0].host, "n001");
  EXPECT_EQ(outages[0].probability, 0.25);
  EXPECT_EQ(outages[0].age_seconds, 3);
  EXPECT_EQ(outages[1].age_seconds, 2) << "whole seconds";
}

TEST_F(HealthQueryTest, TellsTheHelperUriAndDeadline) {
  EXPECT_THAT(failure([&] { ask("echo \"$*\" >&2; exit 3"); }), HasSubstr("--deadline 60"));
}

TEST_F(HealthQueryTest, TellsTheHelperWhomToTrust) {
  HealthQuery query{.uri = "u", .program = make_program("echo \"<$*>\" >&2; exit 3")};
  query.deadline_seconds = kLong;
  EXPECT_THAT(failure([&] { query_health(query); }), HasSubstr("<--uri u --deadline 60>"));
  query.key = "/etc/tofa/health.pub";
  query.max_signature_age_seconds = 30;
  EXPECT_THAT(failure([&] { query_health(query); }),
              HasSubstr("60 --key /etc/tofa/health.pub --max-age 30>"));
}

TEST_F(HealthQueryTest, SaysThatAnAnswerCannotBeTrusted) {
  EXPECT_THAT(
      failure([&] { ask("echo 'tofa-query: 10.0.0.1:7412: it is not signed' >&2; exit 6"); }),
      HasSubstr("health service at 10.0.0.1:7412 cannot be trusted: it is not signed"));
}

TEST_F(HealthQueryTest, NamesTheRemedyWhenNobodyAnswers) {
  EXPECT_THAT(failure([&] { ask("exec sleep 1000", 0.2); }),
              HasSubstr("10.0.0.1:7412 did not answer within 0.2 s; start tofa-pmix-gateway"));
  EXPECT_THAT(failure([&] { ask("exit 4"); }), HasSubstr("did not answer within 60 s"));
  EXPECT_THAT(
      failure([&] { ask("echo 'tofa-query: 10.0.0.1:7412: nobody is there' >&2; exit 3"); }),
      HasSubstr("10.0.0.1:7412 cannot be asked: nobody is there; start tofa-pmix-gateway there or "
                "correct the address"));
}

TEST_F(HealthQueryTest, KeepsTheWholeReason) {
  const std::string script = "echo 'tofa-query: \"10.0.0.1:7412\" is no address' >&2; exit ";
  EXPECT_THAT(failure([&] { ask(script + "3"); }),
              HasSubstr("cannot be asked: \"10.0.0.1:7412\" is no address; start"))
      << "an URI inside the reason is part of it";
  const std::string text(300, 'x');
  EXPECT_THAT(failure([&] { ask("echo " + text + " >&2; exit 3"); }), HasSubstr(text + ";"));
  EXPECT_THAT(failure([&] { ask("printf 'a\\033[31mb\\nmore' >&2; exit 3"); }),
              HasSubstr("asked: a?[31mb; start"));
}

TEST_F(HealthQueryTest, TellsAMistakeInTheAddressFromAServiceThatIsDown) {
  const std::string message = failure(
      [&] { ask("echo 'tofa-query: \"u\" is no address' >&2; exit 2"); }, ErrorKind::bad_input);
  EXPECT_THAT(message, HasSubstr("cannot be asked: \"u\" is no address"));
  EXPECT_THAT(message, Not(HasSubstr("tofa-pmix-gateway"))) << "starting it would not help";
}

TEST_F(HealthQueryTest, NamesTofaHealthdWhenTheGatewayHasNoData) {
  const std::string message = failure(
      [&] { ask("echo 'tofa-query: 10.0.0.1:7412: no data of tofa-healthd' >&2; exit 5"); });
  EXPECT_EQ(message, "health service at 10.0.0.1:7412 answers: no data of tofa-healthd");
}

TEST_F(HealthQueryTest, EndsAHelperThatClosesItsOutputsAndStays) {
  EXPECT_THAT(failure([&] { ask(kNoHosts + "; exec sleep 1000 >&- 2>&-", 0.3); }),
              HasSubstr("did not answer"));
}

TEST_F(HealthQueryTest, EndsAHelperThatIgnoresSignals) {
  EXPECT_THAT(failure([&] { ask("trap '' TERM INT; exec sleep 1000", 0.2); }),
              HasSubstr("did not answer"));
}

TEST_F(HealthQueryTest, RefusesWhatIsNotAnAnswer) {
  EXPECT_THAT(failure([&] { ask("echo hello world"); }), HasSubstr("malformed"));
  EXPECT_THAT(failure([&] { ask("printf 'n1 0 1\\nEND\\n'"); }),
              HasSubstr("that of an earlier version of tofa-query"));
  EXPECT_THAT(failure([&] { ask("printf '{\"version\": 1,'"); }), HasSubstr("cut short"));
  EXPECT_THAT(failure([&] { ask("exec head -c 100000 /dev/urandom"); }), HasSubstr("malformed"));
  EXPECT_THAT(failure([&] { ask("exec yes 'n1 0 1'"); }), HasSubstr("without end"));
  EXPECT_THAT(failure([&] { ask("kill -SEGV $$"); }), HasSubstr("status 139"));
}

TEST_F(HealthQueryTest, RefusesAnAnswerWhoseNewestEstimateIsStale) {
  EXPECT_THAT(failure([&] {
                ask(printing({{"n1", 0, 700}, {"n2", 0, 601}}));
              }),
              HasSubstr("its newest estimate, for n2, is 601 s old, 600 s are allowed"));
  EXPECT_EQ(ask(printing({{"n1", 0, 1}, {"n2", 1, 601}})).size(), 2U) << "the service is alive";
}

TEST_F(HealthQueryTest, NamesAProgramThatCannotBeRun) {
  EXPECT_THAT(failure([] { query_health({.uri = "u", .program = "/nonexistent/tofa-query"}); }),
              HasSubstr("/nonexistent/tofa-query: cannot be run"));
}

TEST_F(HealthQueryTest, LeavesNeitherDescriptorsNorZombies) {
  const std::size_t before = open_descriptors();
  ask(kNoHosts);
  failure([&] { ask("exec sleep 1000", 0.1); });
  failure([&] { ask("exec yes"); });
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(HealthQueryTest, WorksWhereTheHostProcessReapsChildren) {
  // The two ways a launcher does it.
  struct sigaction reap {};
  struct sigaction before {};
  reap.sa_handler = [](int) {
    const int saved = errno;
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    errno = saved;
  };
  ::sigaction(SIGCHLD, &reap, &before);
  EXPECT_EQ(ask(kNoHosts).size(), 0);
  EXPECT_THAT(failure([&] { ask("exec sleep 1000", 0.1); }), HasSubstr("did not answer"));
  reap.sa_handler = SIG_IGN;
  ::sigaction(SIGCHLD, &reap, nullptr);
  EXPECT_EQ(ask(kNoHosts).size(), 0);
  EXPECT_THAT(failure([&] { ask("echo half", 5); }), HasSubstr("malformed"));
  ::sigaction(SIGCHLD, &before, nullptr);
}

TEST_F(HealthQueryTest, GivesTheHelperACleanStart) {
  // Blocked signals and open descriptors of a launcher are none of the helper's business.
  sigset_t blocked;
  sigset_t before;
  ::sigfillset(&blocked);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const int open = ::open("/dev/null", O_RDONLY);
  const std::string message = failure([&] {
    ask("ls /proc/self/fd | tr '\\n' ' ' >&2; grep SigBlk /proc/self/status >&2; exit 3");
  });
  ::close(open);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(message, HasSubstr("0 1 2 3 SigBlk:"));  // 3 is what ls reads the folder with
  EXPECT_THAT(message, HasSubstr("0000000000000000"));
}

TEST_F(HealthQueryTest, FindsTheHelper) {
  const std::string helper = make_program(kNoHosts, "tofa-query");
  EXPECT_EQ(find_query_program(directory_.path()), helper);
  ::setenv("TOFA_QUERY", helper.c_str(), 1);
  EXPECT_EQ(find_query_program(), helper);
  EXPECT_EQ(query_health({.uri = "10.0.0.1:7412", .deadline_seconds = kLong}).size(), 0);
  ::setenv("TOFA_QUERY", directory_.path().c_str(), 1);
  EXPECT_THAT(failure([] { find_query_program(); }), HasSubstr("no program"));
}

// The reason why an answer is refused in which `from` is replaced.
std::string refusal(const std::string& from, const std::string& to) {
  Snapshot snapshot = snapshot_of({{"n1", 0.5, 1, 0.25}, {"n2", 0, 1, 0.75}});
  snapshot.outages = {{"n1", 1.6e9, 0, "slurm"}};
  std::string text = format_snapshot(snapshot);
  parse_health_answer(text);
  text.replace(text.find(from), from.size(), to);
  return failure([&] { parse_health_answer(text); });
}

TEST(HealthAnswer, RefusesEveryMalformedEntry) {
  EXPECT_THAT(failure([] { parse_health_answer(""); }), HasSubstr("malformed JSON"));
  EXPECT_THAT(failure([] { parse_health_answer("[]"); }), HasSubstr("\"version\" must be 1"));
  EXPECT_THAT(refusal("\"version\":1", "\"version\":2"), HasSubstr("\"version\" must be 1"));
  EXPECT_THAT(refusal("\n", "\n{}"), HasSubstr("malformed JSON"));
  EXPECT_THAT(refusal("\"hosts\"", "\"guests\""), HasSubstr("must be an array"));
  EXPECT_THAT(refusal("\"time\":", "\"date\":"), HasSubstr("\"time\" is missing"));
  EXPECT_THAT(refusal("\"time\":1700000000.0", "\"time\":-1"), HasSubstr("\"time\""));
  EXPECT_THAT(refusal("\"probability\":0.5", "\"probability\":1.5"), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(refusal("\"probability\":0.5", "\"probability\":-0.5"), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(refusal("\"probability\":0.5", "\"probability\":NaN"), HasSubstr("malformed JSON"));
  EXPECT_THAT(refusal("\"probability\":0.5", "\"probability\":\"0\""), HasSubstr("no number"));
  EXPECT_THAT(refusal("\"polled\"", "\"age\""), HasSubstr("\"polled\" of n1 is missing"));
  EXPECT_THAT(refusal("\"polled\":1699999999.0", "\"polled\":1e999"), HasSubstr("too large"));
  EXPECT_THAT(refusal("\"polled\":1699999999.0", "\"polled\":-1"), HasSubstr("\"polled\""));
  EXPECT_THAT(refusal("\"rate\":0.25", "\"rate\":-1"), HasSubstr("\"rate\""));
  EXPECT_THAT(refusal("\"rate\":0.25", "\"rate\":true"), HasSubstr("\"rate\""));
  EXPECT_THAT(refusal("\"up\"", "\"ill\""), HasSubstr("is not up, down, planned or unreachable"));
  EXPECT_THAT(refusal("\"n1\"", "\"n2\""), HasSubstr("listed twice"));
  for (const std::string bad : {"", "n 1", "n\\u0001", "n\\\"", "\\u00fc"})
    EXPECT_THAT(refusal("\"n2\"", "\"" + bad + "\""), HasSubstr("host")) << bad;
  EXPECT_THAT(refusal("\"n2\"", "\"" + std::string(300, 'n') + "\""), HasSubstr("malformed"));
  EXPECT_THAT(refusal("\"start\":1600000000.0", "\"start\":-1"), HasSubstr("\"start\""));
  EXPECT_THAT(refusal("\"start\"", "\"begin\""), HasSubstr("no \"start\""));
  EXPECT_THAT(refusal("\"cause\":\"slurm\"", "\"cause\":\"a\\nb\""), HasSubstr("malformed"));
}

TEST(HealthAnswer, NeverCrashesOnAnyText) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    try {
      parse_health_answer(text);
    } catch (const Error&) {
    }
  }));
}

// Anything but a change within a word or a number is noticed; whatever is, is refused, and whatever
// is not, makes sense.
TEST(HealthAnswer, DamageIsRefusedOrHarmless) {
  const std::string whole =
      format_snapshot(snapshot_of({{"n1", 0.5, 1, 0.25}, {"n2", 0, 1, 0.75}}));
  EXPECT_TRUE(rc::check([&whole](std::uint16_t at, char c) {
    std::string text = whole;
    text[at % text.size()] = c;
    try {
      for (const HostOutage& outage : outages_of(parse_health_answer(text))) {
        RC_ASSERT(outage.probability >= 0 && outage.probability <= 1);
        RC_ASSERT(outage.age_seconds >= 0 && outage.rate >= 0);
      }
    } catch (const Error&) {
    }
  }));
}

TEST(HealthAnswer, EveryTruncationIsRefused) {
  const std::string whole = format_snapshot(snapshot_of({{"n001", 0.25, 3}, {"n002", 0, 1}}));
  EXPECT_EQ(parse_health_answer(whole).hosts.size(), 2);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_THROW(parse_health_answer(whole.substr(0, size)), Error) << size;
  }
}

TEST(HealthAnswer, AgesCountFromTheTimeOfTheAnswer) {
  const OutageList outages =
      outages_of(snapshot_of({{"n1", 0, 1, 0.125}, {"n2", 0.5, 0.25}, {"n3", 0.5, -3}}));
  EXPECT_EQ(outages[0].age_seconds, 1);
  EXPECT_EQ(outages[0].rate, 0.125);
  EXPECT_EQ(outages[1].age_seconds, 1) << "clocks of whole seconds";
  EXPECT_EQ(outages[2].age_seconds, 0) << "not from the future";
}

TEST(HealthAnswer, WhatIsFromTheFutureIsStale) {
  const OutageList outages = outages_of(snapshot_of({{"n1", 0, -60}, {"n2", 0, -4e7}}));
  EXPECT_EQ(outages[0].age_seconds, kAgeUnknowable);
  EXPECT_EQ(outages[1].age_seconds, kAgeUnknowable);
}

TEST_F(HealthQueryTest, RefusesAnAnswerFromTheFuture) {
  EXPECT_THAT(failure([&] { ask(printing({{"n1", 0, -3600}})); }), HasSubstr("from the future"));
  EXPECT_EQ(ask(printing({{"n1", 0, -3600}, {"n2", 0.5, 3}})).size(), 2) << "a single host may be";
}

TEST(HealthAnswer, CarriesWarnings) {
  Snapshot snapshot = snapshot_of({{"n1", 0, 3}});
  EXPECT_THAT(format_snapshot(snapshot), ::testing::Not(HasSubstr("warnings")));
  snapshot.warnings = {"the clock is \"wrong\"", "and\nmore"};
  EXPECT_EQ(parse_health_answer(format_snapshot(snapshot)), snapshot);
  EXPECT_THAT(
      test::error_of([] {
        parse_health_answer(R"({"version":1,"time":1,"period":1,"hosts":[],"warnings":[1]})");
      }),
      HasSubstr("no text"));
}

TEST_F(HealthQueryTest, TellsTheHistory) {
  Snapshot snapshot = snapshot_of({{"n1", 0, 5000}});
  snapshot.outages = {{"n1", 1.6e9, 1.6e9 + 60, "slurm"}, {"n2", 1.6e9 + 50, 0, "heartbeat"}};
  const std::string program = make_program("printf '%s' '" + format_snapshot(snapshot) + "'");
  EXPECT_EQ(query_history({.uri = "u", .program = program, .deadline_seconds = kLong}),
            snapshot.outages)
      << "however stale the estimates are";
}

}  // namespace
}  // namespace tofa
