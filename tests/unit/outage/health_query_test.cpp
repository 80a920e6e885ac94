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
#include "tofa/child_process.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kLong = 60;  // never reached by a helper that ends

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
  const OutageList outages = ask("printf 'n001 0.25 3\\nn002 0 1.5\\nEND\\n'");
  ASSERT_EQ(outages.size(), 2);
  EXPECT_EQ(outages[0].host, "n001");
  EXPECT_EQ(outages[0].probability, 0.25);
  EXPECT_EQ(outages[0].age_seconds, 3);
  EXPECT_EQ(outages[1].age_seconds, 1.5);
}

TEST_F(HealthQueryTest, TellsTheHelperUriAndDeadline) {
  EXPECT_THAT(failure([&] { ask("echo \"$*\" >&2; exit 3"); }), HasSubstr("--deadline 60"));
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
  EXPECT_THAT(failure([&] { ask("printf 'END\\n'; exec sleep 1000 >&- 2>&-", 0.3); }),
              HasSubstr("did not answer"));
}

TEST_F(HealthQueryTest, EndsAHelperThatIgnoresSignals) {
  EXPECT_THAT(failure([&] { ask("trap '' TERM INT; exec sleep 1000", 0.2); }),
              HasSubstr("did not answer"));
}

TEST_F(HealthQueryTest, RefusesWhatIsNotAnAnswer) {
  EXPECT_THAT(failure([&] { ask("echo hello world"); }), HasSubstr("malformed"));
  EXPECT_THAT(failure([&] { ask("printf 'n1 0 1\\n'"); }), HasSubstr("not END"));
  EXPECT_THAT(failure([&] { ask("exec head -c 100000 /dev/urandom"); }), HasSubstr("malformed"));
  EXPECT_THAT(failure([&] { ask("exec yes 'n1 0 1'"); }), HasSubstr("without end"));
  EXPECT_THAT(failure([&] { ask("kill -SEGV $$"); }), HasSubstr("status 139"));
}

TEST_F(HealthQueryTest, RefusesAnAnswerWhoseNewestEstimateIsStale) {
  EXPECT_THAT(failure([&] { ask("printf 'n1 0 700\\nn2 0 601\\nEND\\n'"); }),
              HasSubstr("its newest estimate, for n2, is 601 s old, 600 s are allowed"));
  EXPECT_EQ(ask("printf 'n1 0 1\\nn2 1 601\\nEND\\n'").size(), 2U) << "the service is alive";
}

TEST_F(HealthQueryTest, NamesAProgramThatCannotBeRun) {
  EXPECT_THAT(failure([] { query_health({.uri = "u", .program = "/nonexistent/tofa-query"}); }),
              HasSubstr("/nonexistent/tofa-query: cannot be run"));
}

TEST_F(HealthQueryTest, LeavesNeitherDescriptorsNorZombies) {
  const std::size_t before = open_descriptors();
  ask("echo END");
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
  EXPECT_EQ(ask("echo END").size(), 0);
  EXPECT_THAT(failure([&] { ask("exec sleep 1000", 0.1); }), HasSubstr("did not answer"));
  reap.sa_handler = SIG_IGN;
  ::sigaction(SIGCHLD, &reap, nullptr);
  EXPECT_EQ(ask("echo END").size(), 0);
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
  const std::string helper = make_program("echo END", "tofa-query");
  EXPECT_EQ(find_query_program(directory_.path()), helper);
  ::setenv("TOFA_QUERY", helper.c_str(), 1);
  EXPECT_EQ(find_query_program(), helper);
  EXPECT_EQ(query_health({.uri = "10.0.0.1:7412", .deadline_seconds = kLong}).size(), 0);
  ::setenv("TOFA_QUERY", directory_.path().c_str(), 1);
  EXPECT_THAT(failure([] { find_query_program(); }), HasSubstr("no program"));
}

TEST(HealthAnswer, RefusesEveryMalformedLine) {
  const auto reason = [](const std::string& text) {
    return failure([&] { parse_health_answer(text); });
  };
  EXPECT_THAT(reason(""), HasSubstr("not END"));
  EXPECT_THAT(reason("n1 0 1\n"), HasSubstr("line 2"));
  EXPECT_THAT(reason("n1 0 1\nEND\nn2 0 1\n"), HasSubstr("text after END"));
  EXPECT_THAT(reason("END"), HasSubstr("cut off"));
  EXPECT_THAT(reason("n1 1.5 1\nEND\n"), HasSubstr("no probability"));
  EXPECT_THAT(reason("n1 nan 1\nEND\n"), HasSubstr("no probability"));
  EXPECT_THAT(reason("n1 -0.5 1\nEND\n"), HasSubstr("no probability"));
  EXPECT_THAT(reason("n1 0\nEND\n"), HasSubstr("no age"));
  EXPECT_THAT(reason("n1 0 inf\nEND\n"), HasSubstr("no age"));
  EXPECT_THAT(reason("n1 0 -1\nEND\n"), HasSubstr("no age"));
  EXPECT_THAT(reason("n1 0 1 -1\nEND\n"), HasSubstr("no rate"));
  EXPECT_THAT(reason("n1 0 1 nan\nEND\n"), HasSubstr("no rate"));
  EXPECT_THAT(reason("n1 0 1 2 3\nEND\n"), HasSubstr("more than"));
  EXPECT_THAT(reason("n\x01 0 1\nEND\n"), HasSubstr("no host name"));
  EXPECT_THAT(reason("n1 0 1\nn1 0 1\nEND\n"), HasSubstr("listed twice"));
  EXPECT_THAT(reason(std::string(300, 'n') + " 0 1\nEND\n"), HasSubstr("no host name"));
}

TEST(HealthAnswer, NeverCrashesOnAnyText) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    try {
      parse_health_answer(text);
    } catch (const Error&) {
    }
  }));
}

TEST(HealthAnswer, EveryTruncationIsRefused) {
  const std::string whole = "n001 0.25 3\nn002 0 1\nEND\n";
  EXPECT_EQ(parse_health_answer(whole).size(), 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse_health_answer(whole.substr(0, size)), Error) << size;
  }
}

TEST(HealthAnswer, MayHaveRates) {
  const OutageList outages = parse_health_answer("n1 0 1 0.125\nn2 0.5 1\nEND\n");
  EXPECT_EQ(outages[0].rate, 0.125);
  EXPECT_LT(outages[1].rate, 0) << "a gateway of an earlier version does not tell";
}

TEST(HistoryAnswer, IsReadStrictly) {
  const std::vector<PastOutage> expected = {{"n1", 1700000000, 1700000060, "slurm"},
                                            {"n2", 1700000050, std::nullopt, "heartbeat"}};
  EXPECT_EQ(
      parse_history_answer("n1 1700000000 1700000060 slurm\nn2 1700000050 - heartbeat\nEND\n"),
      expected);
  EXPECT_TRUE(parse_history_answer("END\n").empty());
  for (const char* bad : {"", "n1 1 2 slurm\n", "n1 1 2\nEND\n", "n1 -1 2 slurm\nEND\n",
                          "n1 1 x slurm\nEND\n", "n1 1 2 slurm more\nEND\n", "END\nn1 1 2 s\n"}) {
    EXPECT_THROW(parse_history_answer(bad), Error) << bad;
  }
}

TEST(HistoryAnswer, NeverCrashesOnAnyText) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    try {
      parse_history_answer(text + "END\n");
    } catch (const Error&) {
    }
  }));
}

TEST(RunChild, EndsWhenItsAnswerIsNotWantedAnyMore) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const ChildResult result =
      run_child("sleep", {"1000"}, {.deadline_seconds = 1000, .interrupt = ends[0]});
  EXPECT_EQ(result.end, ChildResult::End::interrupted);
  EXPECT_EQ(result.status, 128 + SIGKILL);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace tofa
