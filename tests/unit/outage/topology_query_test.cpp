// SPDX-License-Identifier: BSD-3-Clause
// Asking the health service for its topology, through programs that take the place of tofa-query.
#include "tofa/topology_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/fingerprint.hpp"
#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = TopologyReply::Kind;

class TopologyQueryTest : public ::testing::Test {
 protected:
  std::optional<std::string> ask(const std::string& script, const std::string& uri = "1.2.3.4:5",
                                 const std::string& key = "") {
    const std::string path = directory_.write("helper", "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), 0755);
    HealthQuery query{.uri = uri, .program = path, .deadline_seconds = 60};
    query.key = key;
    return query_topology(query, folder_);
  }

  // Prints the text, and notes what it was asked.
  std::string sending(const std::string& text) const {
    return "echo \"$@\" >" + (directory_ / "asked") + "; printf 'tofa-topology " +
           std::to_string(text.size()) + "\\n%s' '" + text + "'";
  }
  std::string asked() const { return test::contents(directory_ / "asked"); }

  const std::string unchanged_ = "echo tofa-topology unchanged";
  const test::ScratchDirectory directory_;
  const UserFolder folder_{directory_ / "kept"};
};

TEST_F(TopologyQueryTest, IsTheTextAsItCame) {
  EXPECT_EQ(ask(sending("kind = x\n")), "kind = x\n");
  EXPECT_THAT(asked(), HasSubstr("--uri 1.2.3.4:5 "));
  EXPECT_THAT(asked(), HasSubstr(" --topology"));
  EXPECT_THAT(asked(), Not(HasSubstr("--known")));
}

TEST_F(TopologyQueryTest, WhatIsKnownIsNotSentAgain) {
  ask(sending("first"));
  EXPECT_EQ(ask(unchanged_), "first");
  EXPECT_EQ(ask(sending("second")), "second");
  EXPECT_THAT(asked(), HasSubstr("--known " + fingerprint_of("first")));
  EXPECT_EQ(ask(unchanged_), "second");
}

TEST_F(TopologyQueryTest, WhatOneServiceSaidIsNotTakenForWhatAnotherDid) {
  ask(sending("text"));
  EXPECT_THAT(test::error_of([&] { ask(unchanged_, "1.2.3.4:6"); }), HasSubstr("malformed"));
  EXPECT_THAT(test::error_of([&] { ask(unchanged_, "1.2.3.4:5", "key"); }), HasSubstr("malformed"))
      << "what was not checked then is not believed now";
}

TEST_F(TopologyQueryTest, ADamagedFileIsAskedForAnew) {
  ask(sending("text"));
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "kept"))
    directory_.write("kept/" + entry.path().filename().string(), "other");
  EXPECT_EQ(ask(sending("text")), "text");
  EXPECT_THAT(asked(), HasSubstr("--known " + fingerprint_of("other")));
}

TEST_F(TopologyQueryTest, NoneIsNoFailure) {
  ask(sending("text"));
  EXPECT_EQ(ask("echo tofa-topology none"), std::nullopt);
  EXPECT_EQ(ask("exit 2"), std::nullopt) << "an earlier tofa-query";
  EXPECT_EQ(ask("exit 5"), std::nullopt) << "an earlier gateway";
  EXPECT_EQ(ask("echo '{\"version\":1}'"), std::nullopt);
  EXPECT_EQ(ask(""), std::nullopt);
}

TEST_F(TopologyQueryTest, SaysWhyThereIsNoAnswer) {
  EXPECT_THAT(test::error_of([&] { ask("echo 'tofa-query: nobody there' >&2; exit 3"); }),
              HasSubstr("health service at 1.2.3.4:5 cannot be asked: nobody there"));
  EXPECT_THAT(test::error_of([&] { ask("exit 4"); }), HasSubstr("did not answer within"));
  EXPECT_THAT(test::error_of([&] { ask("exit 6", "1.2.3.4:5", "k.pub"); }),
              HasSubstr("cannot be trusted"));
}

TEST_F(TopologyQueryTest, HalfAnAnswerIsNone) {
  for (const char* half : {"tofa-topology 5\\ntext", "tofa-topology 3\\ntext", "tofa-topology 4",
                           "tofa-topology x\\ntext", "tofa-topology -4\\ntext"}) {
    EXPECT_THAT(test::error_of([&] { ask("printf '" + std::string(half) + "'"); }),
                HasSubstr("malformed"))
        << half;
  }
}

TEST(TopologyReply, IsWholeOrNothing) {
  rc::check([](const std::string& text) {
    RC_PRE(!text.empty());
    const std::string whole = "tofa-topology " + std::to_string(text.size()) + "\n" + text;
    const auto reply = parse_topology_reply(whole);
    RC_ASSERT(reply && reply->kind == Kind::text && reply->text == text);
    for (std::size_t size = 0; size < whole.size(); ++size)
      RC_ASSERT(!parse_topology_reply(whole.substr(0, size)));
    RC_ASSERT(!parse_topology_reply(whole + "x"));
  });
  EXPECT_EQ(parse_topology_reply("tofa-topology none\n")->kind, Kind::none);
  EXPECT_EQ(parse_topology_reply("tofa-topology unchanged\n")->kind, Kind::unchanged);
  EXPECT_FALSE(parse_topology_reply("tofa-topology 0\n"));
  EXPECT_FALSE(parse_topology_reply("tofa-topology none\nx"));
}

}  // namespace
}  // namespace tofa
