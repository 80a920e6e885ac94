// SPDX-License-Identifier: BSD-3-Clause
// The lines of tofa-slurm-nodes: what is written is read again, and nothing else is read.
#include "common/slurm_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "support.hpp"

namespace tofa::health::slurm_node_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SlurmNode drained_node() {
  return {
      .name = "n1.cluster",
      .state = SlurmState::mixed,
      .flags = static_cast<unsigned>(SlurmFlag::drain) | static_cast<unsigned>(SlurmFlag::silent),
      .reason = "fan \"2\"\n[broken] \xc3\xa4",
      .uid = 64030,
      .by = "slurm",
      .since = 1795357068,
      .boot = 1795330000.5,
      .started = 1795330020,
      .busy = 1795357000};
}

TEST(SlurmNodeLines, AreReadAsTheyWereWritten) {
  const SlurmNode bare{.name = "n0"};
  const std::string text = format_slurm_node(bare) + format_slurm_node(drained_node());
  EXPECT_THAT(parse_slurm_nodes(text), ElementsAre(bare, drained_node()));
  EXPECT_TRUE(parse_slurm_nodes("").empty());
}

TEST(SlurmNodeLines, AReasonThatIsNotUtf8IsReplaced) {
  SlurmNode node = drained_node();
  node.reason = "fan \xff";
  EXPECT_EQ(parse_slurm_nodes(format_slurm_node(node)).at(0).reason, "fan \xef\xbf\xbd");
}

TEST(SlurmNodeLines, AreReadStrictly) {
  for (const char* line : {"",
                           "n1 idle",
                           "[]",
                           "{}",
                           R"({"node":"n1"})",
                           R"({"state":"idle"})",
                           R"({"node":"n/1","state":"idle"})",
                           R"({"node":"","state":"idle"})",
                           R"({"node":"n1","state":"IDLE"})",
                           R"({"node":"n1","state":2})",
                           R"({"node":"n1","state":"idle","flags":"drain"})",
                           R"({"node":"n1","state":"idle","flags":["drained"]})",
                           R"({"node":"n1","state":"idle","boot":0})",
                           R"({"node":"n1","state":"idle","boot":1e12})",
                           R"({"node":"n1","state":"idle","busy":"1"})",
                           R"({"node":"n1","state":"idle","uid":-1})",
                           R"({"node":"n1","state":"idle","uid":4294967296})",
                           R"({"node":"n1","state":"idle","uid":1.5})",
                           R"({"node":"n1","state":"idle","color":1})",
                           R"({"node":"n1","state":"idle"} more)",
                           R"({"node":"n1","state":"idle")"}) {
    EXPECT_THAT(
        test::error_of([&] { parse_slurm_nodes(format_slurm_node(drained_node()) + line + "\n"); }),
        HasSubstr("line 2: "))
        << line;
  }
}

TEST(SlurmNodeLines, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    try {
      (void)parse_slurm_nodes(text);
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == ErrorKind::bad_input);
    }
  }));
}

}  // namespace
}  // namespace tofa::health::slurm_node_test
