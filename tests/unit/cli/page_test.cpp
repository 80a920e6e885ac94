// SPDX-License-Identifier: BSD-3-Clause
// Pages of reports: distributions, matrices as a script reads them, and that nothing in the data
// gets out of its element. Whether they are drawn, a browser is asked in tests/integration/cli.
#include "page/page.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "page/distributions.hpp"
#include "page/heatmap_data.hpp"
#include "page/packed.hpp"
#include "page/ranks_data.hpp"
#include "page/sizes_data.hpp"

namespace tofa::cli::page_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const char* const kMessages = R"({"quantity": "messages"})";

TEST(Distributions, RanksByPartners) {
  const Bars bars = ranks_by_partners(CommGraph(Traffic{5, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}, ""}));
  EXPECT_THAT(bars.labels, ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(bars.values, ElementsAre(1, 3, 0, 1));
  Traffic hub{40, {}, ""};
  for (Rank rank = 1; rank < 40; ++rank) hub.entries.push_back({0, rank, 1});
  const Bars wide = ranks_by_partners(CommGraph(hub));
  EXPECT_THAT(wide.labels, ElementsAre("1", "2–3", "4–7", "8–15", "16–31", "32–63"));
  EXPECT_THAT(wide.values, ElementsAre(39, 0, 0, 0, 0, 1));
  EXPECT_THAT(ranks_by_partners(CommGraph{}).labels, IsEmpty());
}

TEST(Distributions, PairsByAmount) {
  const CommGraph graph(Traffic{4, {{0, 1, 1000}, {1, 0, 24}, {1, 2, 1023}, {2, 3, 5000}}, ""});
  const Bars bars = pairs_by_amount(graph, true);
  EXPECT_THAT(bars.labels, ElementsAre("512 B", "1 KiB", "2 KiB", "4 KiB"));
  EXPECT_THAT(bars.values, ElementsAre(1, 1, 0, 1));
  EXPECT_EQ(pairs_by_amount(graph, false).labels.front(), "512–1023");
}

TEST(Distributions, MessagesBySize) {
  const Traffic bytes{3, {{0, 1, 4000}, {1, 2, 10}}, ""};
  const Traffic messages{3, {{0, 1, 2}, {0, 2, 3}, {1, 2, 0}}, kMessages};
  const Bars bars = messages_by_size(bytes, messages);
  EXPECT_EQ(bars.labels.front(), "0 B");  // three without bytes
  EXPECT_EQ(bars.values.front(), 3);
  EXPECT_EQ(bars.labels.back(), "1 KiB");
  EXPECT_EQ(bars.values.back(), 2);
  EXPECT_THAT(messages_by_size(bytes, Traffic{3, {}, ""}).labels, IsEmpty());
}

TEST(Distributions, AmountByHops) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"mesh\"\nshape = [4]\nnodes = \"n[0-3]\"\n", "machine.toml");
  const CommGraph graph(Traffic{4, {{0, 1, 10}, {1, 0, 5}, {0, 3, 1}, {2, 3, 100}}, ""});
  EXPECT_THAT(amount_by_hops(graph, *topology, {0, 1, 2, 3}), ElementsAre(0, 115, 0, 1));
  EXPECT_THAT(amount_by_hops(graph, *topology, {0, 0, 2, 2}), ElementsAre(115, 0, 1));
}

TEST(Distributions, Curves) {
  EXPECT_THAT(descending_curve({1, 5, 3}, 10), ElementsAre(5, 3, 1));
  EXPECT_THAT(descending_curve({1, 2, 3, 4, 5}, 3), ElementsAre(5, 3, 1));
  EXPECT_THAT(envelope({1, 9, 2, 3, 8}, 3), ElementsAre(9, 3, 8));
  EXPECT_THAT(envelope({}, 3), IsEmpty());
}

TEST(Packed, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
}

TEST(Packed, NumbersAreTheirBytesTheLowestFirst) {
  EXPECT_EQ(packed_numbers({}), "");
  EXPECT_EQ(packed_numbers({1, 0xff000002}), base64(std::string("\1\0\0\0\2\0\0\xff", 8)));
  EXPECT_EQ(packed_doubles({123456789}), base64(std::string("\0\0\0\x54\x34\x6f\x9d\x41", 8)));
  EXPECT_EQ(packed_floats({1, -2}), base64(std::string("\0\0\x80\x3f\0\0\0\xc0", 8)));
}

std::string from_base64(const std::string& text) {
  std::string bytes;
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

TEST(HeatmapData, CellsAreGapsAndValues) {
  const Traffic traffic{300, {{0, 1, 7}, {0, 2, 1 << 20}, {299, 0, 3}}, ""};
  const auto matrix = matrix_json(traffic, {{"", {}}});
  EXPECT_EQ(matrix["size"], 300);
  EXPECT_EQ(matrix["ranksPerCell"], 1);
  const auto& view = matrix["views"][0];
  // 1, 0, and 299 * 300 - 3 in groups of seven bits.
  EXPECT_EQ(from_base64(view["gaps"]), std::string("\x01\x00\xe1\xbc\x05", 5));
  const std::string values = from_base64(view["values"]);
  ASSERT_EQ(values.size(), 12U);
  std::uint32_t bits = 0;
  for (int i = 3; i >= 0; --i) bits = bits << 8 | static_cast<unsigned char>(values[4 + i]);
  EXPECT_EQ(std::bit_cast<float>(bits), 1 << 20);
}

TEST(HeatmapData, BeforeAndAfterHaveTheSameColours) {
  const Traffic traffic{1024, {{0, 1, 100}, {2, 3, 50}, {512, 513, 4096}}, ""};
  std::vector<std::string> hosts(1024, "a");
  hosts[1] = "b";
  const auto matrix = matrix_json(traffic, {{"", {}}, {"", order_by_host(hosts)}});
  EXPECT_EQ(matrix["views"].size(), 2U);
  EXPECT_EQ(matrix["ranksPerCell"], 2);
  EXPECT_EQ(matrix["scales"]["linear"]["high"], 4096);
  EXPECT_EQ(matrix["views"][0]["between"], "");
  EXPECT_EQ(matrix["views"][1]["between"], "2.36 % between nodes");
}

TEST(HeatmapData, RowsSayRanksAndNodes) {
  const auto plain = order_json({"x", {}}, 1024);
  EXPECT_EQ(plain["rows"][3], "ranks 6,7");
  EXPECT_FALSE(plain["sorted"]);
  EXPECT_THAT(plain["blocks"], IsEmpty());
  const auto sorted = order_json({"x", order_by_host({"a", "b", "a", "b"})}, 4);
  EXPECT_EQ(sorted["rows"][1], "rank 2 on a");
  EXPECT_TRUE(sorted["sorted"]);
  EXPECT_EQ(sorted["blocks"].dump(), "[[0.0,2.0],[2.0,4.0]]");
  std::vector<std::string> hosts(1024);
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i] = "n" + std::to_string(i);
  EXPECT_EQ(order_json({"x", order_by_host(hosts)}, 1024)["rows"][0], "ranks 0,1 on n0 to n1");
}

TEST(SizesData, CellsAreGapsAndRanges) {
  MessageSizes sizes{1024, {{0, 1, 0, 300}, {0, 1, 4, 2}, {1, 0, 4, 5}, {2, 2, 8, 1}}, ""};
  const auto json = message_sizes_json(sizes, {{"", {}}});
  EXPECT_THAT(json["labels"], ElementsAre("0 B", "1 B", "2 B", "4 B", "8 B"));
  EXPECT_THAT(json["all"], ElementsAre(300, 0, 0, 7, 1));
  // Two ranks a cell: cell 0 with two ranges, the first and that two behind the next; and, 512 of
  // them behind it, a cell with one.
  EXPECT_EQ(from_base64(json["views"][0]), std::string("\x00\x02\x00\xac\x02\x02\x07"
                                                       "\x80\x04\x01\x04\x01",
                                                       12));
}

TEST(SizesData, OfManyCellsOnlyTheSum) {
  MessageSizes sizes{512, {}, ""};
  for (Rank sender = 0; sender < 512; ++sender)
    for (Rank receiver = 0; receiver < 512; ++receiver)
      sizes.counts.push_back({sender, receiver, 8, 1});
  EXPECT_EQ(message_sizes_json(sizes, {{"", {}}})["views"].size(), 1U);
  const auto two = message_sizes_json(sizes, {{"", {}}, {"", {}}});
  EXPECT_THAT(two["views"], IsEmpty());
  EXPECT_THAT(two["all"], ElementsAre(512 * 512));
  EXPECT_TRUE(message_sizes_json(MessageSizes{4, {}, ""}, {{"", {}}}).is_null());
}

class Page : public testing::Test {
 protected:
  Page()
      : topology_(parse_topology("[topology]\nkind = \"torus\"\nshape = [4]\nnodes = \"n[0-3]\"\n",
                                 "machine.toml")) {}

  PageContents contents() const {
    PageContents contents{"job", {{"all", {4, {{0, 2, 4096}, {1, 3, 2048}}, ""}}}, {}, {}, {}, {}};
    contents.machine.emplace(PageMachine{*topology_,
                                         outages_,
                                         {0, 1, 2, 3},
                                         {0, 1, 2, 3},
                                         {0, 2, 1, 3},
                                         "Before",
                                         "After",
                                         Objective{}});
    return contents;
  }

  static nlohmann::json data_of(const std::string& page) {
    const std::string_view head = "id=\"data\">";
    const std::size_t first = page.find(head) + head.size();
    return nlohmann::json::parse(page.substr(first, page.find("</script>", first) - first));
  }

  // What a row of the table of gains says of the mapping before.
  static std::string before_of(const nlohmann::json& data, const std::string& name) {
    for (const auto& row : data["gain"])
      if (row["name"] == name) return row["before"];
    return "";
  }

  std::unique_ptr<Topology> topology_;
  OutageMap outages_;
};

TEST_F(Page, HoldsEverything) {
  const std::string page = report_page(contents());
  const auto data = data_of(page);
  EXPECT_EQ(data["cards"][1]["value"], "6 KiB");
  EXPECT_EQ(data["orders"].size(), 2U);
  EXPECT_EQ(data["gain"][0]["before"], "2.000");
  EXPECT_EQ(data["gain"][0]["after"], "1.000");
  EXPECT_EQ(data["gain"][0]["verdict"], "better");
  EXPECT_EQ(before_of(data, "objective hop-bytes"), "12288");
  PageContents large = contents();
  large.parts[0].traffic.entries = {{0, 2, Bytes{1} << 40}};
  EXPECT_EQ(before_of(data_of(report_page(large)), "objective hop-bytes"), "2.20 × 10¹²");
  EXPECT_EQ(data["matrices"][0]["pairs"][0]["before"], "n0 – n2, 2 hops");
  EXPECT_EQ(data["matrices"][0]["pairs"][0]["share"], "66.7 %");
  EXPECT_FALSE(data["links"].empty());
  EXPECT_THAT(page, HasSubstr("<svg xmlns"));
  EXPECT_THAT(page, Not(HasSubstr("<!--")));  // every mark is filled in
}

TEST_F(Page, TheMachineInSpace) {
  PageContents turned = contents();
  turned.machine->after = {0, 2, 0, 3};
  outages_ = OutageMap({{"n1", 1}, {"n3", 0.25}}, *topology_);
  const auto machine = data_of(report_page(turned))["machine"];
  EXPECT_EQ(machine["title"], "torus 4");
  EXPECT_EQ(machine["nodes"], 4);
  EXPECT_EQ(machine["names"], nlohmann::json({"n0", "n1", "n2", "n3"}));
  EXPECT_EQ(machine["outages"], nlohmann::json({{1, 1.0}, {3, 0.25}}));
  EXPECT_EQ(machine["panels"][1]["ranks"], nlohmann::json({"0,2", "", "1", "3"}));
  EXPECT_EQ(from_base64(machine["points"]).size(), 4 * 3 * 4U);
  EXPECT_EQ(from_base64(machine["wires"]).size(), 4 * 2 * 4U);
  // Rank 1 to rank 3 over the link from n2 to n3, and nothing else.
  EXPECT_EQ(from_base64(machine["panels"][1]["loads"]),
            from_base64(packed_floats({0, 0, 0, 2048})));
  EXPECT_THAT(machine["panels"][1]["figures"], HasSubstr("busiest link 2 KiB, 3 nodes in use"));
}

TEST_F(Page, WhatIsTooLargeForSpaceIsOnPaper) {
  const std::string nodes =
      "[topology]\nkind = \"fat-tree\"\ndown = [32, 1024]\nup = [1, 1]\nnodes = ";
  topology_ = parse_topology(nodes + "\"n[0-32767]\"\n", "machine.toml");
  const std::string page = report_page(contents());
  EXPECT_THAT(data_of(page)["machine"]["problem"], HasSubstr("too many parts"));
  EXPECT_THAT(page, HasSubstr("<svg xmlns"));
  topology_ = parse_topology(nodes + "\"n[0-2047]\"\n", "machine.toml");
  const std::string smaller = report_page(contents());
  EXPECT_EQ(data_of(smaller)["machine"]["nodes"], 2048);
  EXPECT_THAT(smaller, Not(HasSubstr("<svg xmlns")));
}

TEST_F(Page, OfTrafficAlone) {
  PageContents alone = contents();
  alone.machine.reset();
  alone.parts.push_back({"all", {4, {{0, 2, 4}}, kMessages}});
  const auto data = data_of(report_page(alone));
  EXPECT_EQ(data["orders"].size(), 1U);
  EXPECT_EQ(data["matrices"].size(), 2U);
  EXPECT_THAT(data["gain"], IsEmpty());
  EXPECT_FALSE(data.contains("machine"));
  EXPECT_EQ(data["charts"][2]["title"], "How large messages are");
  EXPECT_FALSE(data["matrices"][0]["pairs"][0].contains("before"));
  alone.sizes = MessageSizes{4, {{0, 2, 1024, 4}}, ""};
  const auto sized = data_of(report_page(alone));
  EXPECT_THAT(sized["sizes"]["all"], ElementsAre(4));
  EXPECT_EQ(sized["charts"].size() + 1, data["charts"].size());  // no mean sizes beside these
  alone.parts = {{"all", {1, {}, ""}}};
  EXPECT_THAT(data_of(report_page(alone))["matrices"][0]["pairs"], IsEmpty());
}

TEST_F(Page, PhasesHaveTheirOwnPairs) {
  PageContents phased = contents();
  phased.parts.push_back({"user", {4, {{1, 3, 2048}}, ""}});
  phased.parts.push_back({"all", {4, {{0, 3, 3}, {1, 2, 1}}, kMessages}, 7});
  const auto matrices = data_of(report_page(phased))["matrices"];
  ASSERT_EQ(matrices.size(), 3U);
  EXPECT_FALSE(matrices[0].contains("phase"));
  EXPECT_FALSE(matrices[1].contains("phase"));
  EXPECT_EQ(matrices[1]["pairs"][0]["ranks"], "1 – 3");
  EXPECT_EQ(matrices[2]["phase"], 7);
  EXPECT_EQ(matrices[2]["pairs"][0]["ranks"], "0 – 3");
  EXPECT_EQ(matrices[2]["pairs"][0]["amount"], "3");
  EXPECT_EQ(matrices[2]["pairs"][0]["share"], "75 %");
  EXPECT_EQ(matrices[2]["pairs"][0]["before"], "n0 – n3, 1 hop");
}

TEST_F(Page, WhatIsKnownOfTheRunAndOfEachRank) {
  PageContents timed = contents();
  timed.parts.push_back({"all", {4, {{0, 2, 4}}, kMessages}});
  timed.parts.push_back({"user", {4, {{0, 2, 1}}, ""}});
  timed.run.facts = {"./app 3", "2026-11-22", "4.1.4", {2, 4, 0, 4}, {1, 1, 0, 3}, {7, 8, 0, 9}};
  timed.run.hosts = {"a", "a", "b", "b"};
  timed.run.other_jobs = {{0, "9", 0, "user", 1, 2048},
                          {3, "9", 1, "library", 2, 1024},
                          {1, "9", 0, std::string(kFetchedClass), 1, 5}};
  const auto data = data_of(report_page(timed));
  EXPECT_EQ(data["run"], "./app 3, 2026-11-22, Open MPI 4.1.4, on 2 hosts");
  std::map<std::string, std::string> cards;
  for (const auto& card : data["cards"]) cards[card["name"]] = card["value"];
  EXPECT_EQ(cards["Run time"], "4 s");
  EXPECT_EQ(cards["In MPI"], "50 %");
  EXPECT_EQ(cards["To other jobs"], "3 KiB");
  EXPECT_EQ(data["charts"].back()["series"].size(), 2U);
  std::map<std::string, nlohmann::json> columns;
  for (const auto& column : data["ranks"]["columns"]) columns[column["title"]] = column;
  EXPECT_EQ(columns.size(), 13U);
  EXPECT_THAT(columns["ran on"]["names"], ElementsAre("a", "a", "b", "b"));
  EXPECT_THAT(columns["after"]["names"], ElementsAre("n0", "n2", "n1", "n3"));
  EXPECT_EQ(columns["sent"]["values"], packed_doubles({4096, 2048, 0, 0}));
  EXPECT_EQ(columns["messages received"]["values"], packed_doubles({0, 0, 4, 0}));
  EXPECT_EQ(columns["in MPI"]["values"], packed_doubles({1, 1, 0, 3}));
  EXPECT_EQ(columns["of its time"]["values"], packed_doubles({50, 25, 0, 75}));
  EXPECT_EQ(columns["MPI calls"]["values"], packed_doubles({7, 8, 0, 9}));
  EXPECT_EQ(columns["to other jobs"]["values"], packed_doubles({2048, 0, 0, 1024}));
  EXPECT_EQ(columns["fetched from other jobs"]["values"], packed_doubles({0, 5, 0, 0}));
  EXPECT_EQ(data["otherJobs"].size(), 2U);
  EXPECT_EQ(data["otherJobs"][0]["bytes"], "3 KiB");
}

TEST_F(Page, OfARunOfWhichNothingIsKnown) {
  PageContents many{"job", {{"all", {kMostListedRanks + 1, {}, ""}}}, {}, {}, {}, {}};
  const auto data = data_of(report_page(many));
  EXPECT_TRUE(data["ranks"].is_null());
  EXPECT_EQ(data["run"], "");
  EXPECT_THAT(data["otherJobs"], IsEmpty());
  EXPECT_EQ(data["cards"].size(), 2U);
}

TEST_F(Page, NothingGetsOutOfItsElement) {
  PageContents hostile = contents();
  hostile.title = "</title></script><script>alert(1)</script><!--data-->";
  hostile.notes = {"<b>\xff", "<i>"};
  hostile.machine->before_title = "</svg><script>";
  const std::string page = report_page(hostile);
  EXPECT_EQ(data_of(page)["title"], hostile.title);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("</svg><script>")));
  EXPECT_THAT(page, Not(HasSubstr("<i>&")));
  EXPECT_THAT(page, HasSubstr("&lt;i&gt;"));
  EXPECT_EQ(page.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace tofa::cli::page_test
