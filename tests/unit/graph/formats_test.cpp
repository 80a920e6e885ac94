// SPDX-License-Identifier: BSD-3-Clause
// The other formats, recognition by content, stems, and that a saved graph reads back the same.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <filesystem>

#include "support.hpp"
#include "tofa/graph_io.hpp"

namespace tofa {
namespace {

using test::error_of;
using test::ScratchDirectory;
using testing::HasSubstr;

std::string error_in(const std::string& text) {
  return error_of([&] { parse_traffic(text, "f"); });
}

std::vector<std::tuple<Rank, Rank, Bytes>> weights(const Traffic& traffic) {
  const CommGraph graph(traffic);
  std::vector<std::tuple<Rank, Rank, Bytes>> result;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      result.emplace_back(rank, Rank{edge.partner}, Bytes{edge.bytes});
    }
  }
  return result;
}

TEST(Dense, Reads) {
  const Traffic traffic = parse_traffic("# bytes\n0 5 0\n1.5e1 0 0\r\n\n0 0 7\n", "f");
  EXPECT_EQ(traffic.ranks, 3U);
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 5}, {1, 0, 15}, {2, 2, 7}}));
  EXPECT_EQ(parse_traffic("0\n", "f").ranks, 1U);
}

// The broadcast of four bytes among four ranks, as it is published: what pairs exchange, twice.
TEST(Dense, SymmetricMatricesHaveTotals) {
  const std::string text = "0 4 5 0\n4 1 0 4\n5 0 0 0\n0 4 0 0\n";
  const Traffic totals = parse_traffic(text, "f");
  EXPECT_EQ(CommGraph(totals).total_bytes(), 13U);
  EXPECT_EQ(totals.entries,
            (std::vector<TrafficEntry>{
                {0, 1, 2}, {0, 2, 3}, {1, 0, 2}, {1, 1, 1}, {1, 3, 2}, {2, 0, 2}, {3, 1, 2}}));
  EXPECT_THAT(totals.note, HasSubstr("--directed"));
  const Traffic directed = parse_traffic(text, "f", SymmetricMatrix::directed);
  EXPECT_EQ(CommGraph(directed).total_bytes(), 26U);
  EXPECT_THAT(directed.note, HasSubstr("both directions"));
  // Nothing is open: one way only, nothing but a diagonal, or it says so.
  EXPECT_EQ(parse_traffic("0 5\n4 0\n", "f").note, "");
  EXPECT_EQ(parse_traffic("7 0\n0 7\n", "f").note, "");
  EXPECT_EQ(parse_traffic(format_traffic(directed, "dense"), "f").note, "");
}

TEST(ReadTraffic, TakesAnySymmetricMatrixAsTotalsWhenToldTo) {
  const std::string text = format_traffic(Traffic{2, {{0, 1, 8}, {1, 0, 8}}, ""}, "mtx");
  EXPECT_EQ(parse_traffic(text, "f").note, "");
  EXPECT_EQ(CommGraph(parse_traffic(text, "f")).total_bytes(), 16U);
  EXPECT_EQ(CommGraph(parse_traffic(text, "f", SymmetricMatrix::totals)).total_bytes(), 8U);
  EXPECT_THAT(
      error_of([] { parse_traffic("0 1 2\n1 0 0\n3 0 0\n", "f", SymmetricMatrix::totals); }),
      HasSubstr("what 0 sends to 2 differs from the way back"));
}

TEST(Dense, SaysWhatIsWrong) {
  EXPECT_THAT(error_in("0 1\n1\n"), HasSubstr("f:2: row of 1 values; the first row has 2"));
  EXPECT_THAT(error_in("0 1\n"), HasSubstr("f:1: ends after 1 of 2 rows"));
  EXPECT_THAT(error_in("0 1\n1 0\n0 0\n"), HasSubstr("f:3: more rows than the 2 columns"));
  EXPECT_THAT(error_in("0 1\n-1 0\n"), HasSubstr("f:2: byte count \"-1\" is negative"));
  EXPECT_THAT(error_in("0 1\nx 0\n"), HasSubstr("f:2: byte count \"x\" is not a number"));
  EXPECT_THAT(error_in("0 inf\n1 0\n"), HasSubstr("f:1: byte count \"inf\" is not a number"));
}

TEST(Scotch, Reads) {
  // Three vertices in base 1 with vertex loads: 1-2 of load 5, 2-3 of load 1.
  const Traffic traffic = parse_traffic("0\n3 4\n1 011\n9 1 5 2\n9 2 5 1 1 3\n9 1 1 2\n", "f");
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 3}, {1, 0, 2}, {1, 2, 1}}));
  EXPECT_EQ(parse_traffic("0\n2 2\n0 000\n1 1\n1 0\n", "f").entries.size(), 1U);
}

TEST(Scotch, SaysWhatIsWrong) {
  EXPECT_THAT(error_in("0\n2 2\n0 010\n1 5 1\n1 4 0\n"),
              HasSubstr("f:5: the edge between 0 and 1"));
  EXPECT_THAT(error_in("0\n2 2\n0 010\n1 5 1\n"), HasSubstr("ends where the degree should be"));
  EXPECT_THAT(error_in("0\n2 2\n0 010\n1 5 2\n"), HasSubstr("f:4: vertex 0 has an arc to 2"));
  EXPECT_THAT(error_in("0\n2 2\n0 010\n1 5 0\n"), HasSubstr("f:4: vertex 0 has an arc to itself"));
  EXPECT_THAT(error_in("0\n2 2\n0 010\n1 -5 1\n"), HasSubstr("f:4: edge load \"-5\""));
  EXPECT_THAT(error_in("0\n2 4\n0 010\n1 5 1\n1 5 0\n"),
              HasSubstr("2 arcs; the header declares 4"));
  EXPECT_THAT(error_in("0\n2 2\n0 100\n1 1\n1 0\n"), HasSubstr("f:3: vertex labels"));
  EXPECT_THAT(error_in("0\n2 2\n0 7\n"), HasSubstr("f:3: flags \"7\""));
  EXPECT_THAT(error_in("0\n9000000 2\n0 0\n"), HasSubstr("do not fit a file of this size"));
  EXPECT_THAT(error_in("0\n2 2\n0 010\n1 5 1\n1 5 0\n3\n"), HasSubstr("f:6: more after the last"));
}

TEST(OmpiProf, ReadsUserAndInternalTraffic) {
  const Traffic traffic = parse_traffic(
      "# POINT TO POINT\n"
      "E\t0\t1\t100 bytes\t2 msgs sent\t0,1,1\n"
      "I\t0\t1\t28 bytes\t1 msgs sent\t1\n"
      "I\t0\t3\t0 bytes\t1 msgs sent\t1\n"
      "# OSC\nS\t0\t1\t1000 bytes\t1 msgs sent\n"
      "S\t0\t2\t0 bytes\t1 msgs sent\nR\t0\t2\t500 bytes\t1 msgs sent\n"
      "# COLLECTIVES\nC\t0\t1\t999 bytes\t1 msgs sent\n"
      "D\tMPI COMMUNICATOR 0\tprocs: 0,1\nO2A\t5 bytes\t1 msgs sent\nA2O\t0 bytes\t0 msgs sent\n"
      "A2A\t1 bytes\t1 msgs sent\n",
      "f");
  EXPECT_EQ(traffic.ranks, 4U);
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 1128}, {0, 3, 0}, {2, 0, 500}}));
}

TEST(OmpiProf, SaysWhatIsWrong) {
  EXPECT_THAT(error_in("E\t0\t1\t5 bytes\t1 msgs sent\nX\t0\n"),
              HasSubstr("f:2: line \"X\\x090\""));
  EXPECT_THAT(error_in("E\t0\tx\t5 bytes\t1 msgs sent\n"), HasSubstr("f:1: line"));
  EXPECT_THAT(error_in("E\t0\t1\t-5 bytes\t1 msgs sent\n"), HasSubstr("\"-5\" is negative"));
  EXPECT_THAT(error_in("E\t0\t99999999\t5 bytes\t1 msgs sent\n"), HasSubstr("f:1: rank 99999999"));
}

TEST(OmpiProf, FilesOfAllRanksAreOneGraph) {
  const ScratchDirectory scratch;
  scratch.write("app.0.prof", "E\t0\t1\t10 bytes\t1 msgs sent\n");
  scratch.write("app.1.prof", "E\t1\t2\t20 bytes\t1 msgs sent\n");
  EXPECT_THAT(error_of([&] { read_traffic(scratch / "app"); }),
              HasSubstr("the .prof file of rank 2 is missing (2 files for 3 ranks)"));
  scratch.write("app.2.prof", "# POINT TO POINT\n");
  const Traffic traffic = read_traffic(scratch / "app");
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 10}, {1, 2, 20}}));
  EXPECT_THAT(traffic.metadata, HasSubstr("3 .prof files"));
  EXPECT_EQ(read_traffic(scratch.path()).entries, traffic.entries);
  scratch.write("other.0.prof", "E\t0\t1\t10 bytes\t1 msgs sent\n");
  EXPECT_THAT(error_of([&] { read_traffic(scratch.path()); }),
              HasSubstr("several profiles (app, other)"));
}

TEST(ReadTraffic, MetadataOfAFewLevelsIsPassedOnAndDeeperOneIsRefused) {
  const auto graph = [](const std::string& metadata) {
    return "%%MatrixMarket matrix coordinate integer general\n%tofa " + metadata +
           "\n2 2 1\n1 2 9\n";
  };
  const auto nested = [](std::size_t levels) {
    return R"({"\"[{":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  EXPECT_EQ(parse_traffic(graph(nested(64)), "g").metadata, nested(64));
  EXPECT_THAT(error_of([&] { parse_traffic(graph(nested(65)), "g"); }),
              HasSubstr("g:2: %tofa comment \"{"));
  const std::string wide = R"({"a":[[],[],{}],"b":")" + std::string(100, '[') + "\"}";
  EXPECT_EQ(parse_traffic(graph(wide), "g").metadata, wide);
}

TEST(ReadTraffic, FindsTheStem) {
  const std::string stem = test::fixture("cases/cg64");
  EXPECT_EQ(read_traffic(stem).entries, read_traffic(stem + ".bytes.mtx").entries);
}

TEST(ReadTraffic, AProgramBesideItsProfileIsNoGraph) {
  const ScratchDirectory scratch;
  const std::string stem = scratch.write("app",
                                         "\x7f"
                                         "ELF");
  EXPECT_EQ(traffic_file(stem), stem);
  const std::string file = scratch.write(
      "app.bytes.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 9\n");
  EXPECT_EQ(traffic_file(stem), file);
  EXPECT_EQ(traffic_file(file), file);
  EXPECT_EQ(read_traffic(stem).entries, (std::vector<TrafficEntry>{{0, 1, 9}}));
  EXPECT_EQ(traffic_file(scratch / "none"), "");
  EXPECT_EQ(traffic_file(scratch.path()), "");
  std::filesystem::remove(stem);
  std::filesystem::create_directory(stem);
  EXPECT_EQ(traffic_file(stem), file);
}

TEST(Formats, SharesThatWouldBeRoundedToNothingAreNoTraffic) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1234.6\n";
  EXPECT_EQ(parse_traffic(head + "2 1 0.5\n", "a.mtx").entries,
            (std::vector<TrafficEntry>{{0, 1, 1235}, {1, 0, 1}}));
  EXPECT_THAT(error_of([&] { parse_traffic(head + "2 1 0.25\n", "a.mtx"); }),
              testing::StartsWith("a.mtx:4: byte count \"0.25\" would be rounded to nothing"));
  EXPECT_THAT(error_of([&] { parse_traffic("0 0.25\n0.25 0\n", "a.txt"); }),
              testing::StartsWith("a.txt:1: byte count \"0.25\" would be rounded to nothing"));
}

TEST(ReadTraffic, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  EXPECT_THAT(error_of([&] { read_traffic(scratch / "none"); }),
              HasSubstr("no such graph; looked for"));
  EXPECT_THAT(error_of([&] { read_traffic(scratch.path()); }),
              HasSubstr("no Open MPI .prof files"));
  const std::string empty = scratch.write("empty", " \n");
  EXPECT_EQ(error_of([&] { read_traffic(empty); }),
            empty + ": the file is empty; expected a communication graph");
  EXPECT_THAT(error_in("hello\n"), HasSubstr("f:1: not a communication graph in a known format"));
  EXPECT_THAT(error_of([] { format_traffic(Traffic{}, "xls"); }),
              HasSubstr("unknown graph format \"xls\"; known are mtx, scotch, dense"));
}

TEST(WriteTraffic, FormatFollowsTheExtension) {
  EXPECT_EQ(traffic_format_for("a.bytes.mtx"), "mtx");
  EXPECT_EQ(traffic_format_for("a.grf"), "scotch");
  EXPECT_EQ(traffic_format_for("a.txt"), "");
  EXPECT_EQ(traffic_format_for(".mtx"), "");
}

Traffic arbitrary_traffic() {
  Traffic traffic;
  traffic.ranks = *rc::gen::inRange<Rank>(1, 20);
  const auto rank = rc::gen::inRange<Rank>(0, traffic.ranks);
  const auto triples = *rc::gen::container<std::vector<std::tuple<Rank, Rank, Bytes>>>(
      rc::gen::tuple(rank, rank, rc::gen::inRange<Bytes>(1, Bytes{1} << 50)));
  for (const auto& [sender, receiver, value] : triples) {
    traffic.entries.push_back({sender, receiver, value});
  }
  if (*rc::gen::arbitrary<bool>()) traffic.metadata = R"({"version": 1, "command": "a b"})";
  traffic.normalise();
  return traffic;
}

TEST(WriteTraffic, ReadsBackTheSame) {
  const bool passed = rc::check("parse(format(traffic)) == traffic", [] {
    const Traffic traffic = arbitrary_traffic();
    const Traffic mtx = parse_traffic(format_traffic(traffic, "mtx"), "mtx");
    RC_ASSERT(mtx.ranks == traffic.ranks);
    RC_ASSERT(mtx.entries == traffic.entries);
    RC_ASSERT(mtx.metadata == traffic.metadata);
    const Traffic dense = parse_traffic(format_traffic(traffic, "dense"), "dense");
    RC_ASSERT(dense.ranks == traffic.ranks);
    RC_ASSERT(dense.entries == traffic.entries);
    // Scotch has no directions and no diagonal: the pairs keep their bytes.
    const Traffic scotch = parse_traffic(format_traffic(traffic, "scotch"), "scotch");
    RC_ASSERT(scotch.ranks == traffic.ranks);
    RC_ASSERT(weights(scotch) == weights(traffic));
  });
  EXPECT_TRUE(passed);
}

TEST(WriteTraffic, OrderOfEntriesDoesNotMatter) {
  const bool passed = rc::check("a shuffled file reads the same", [] {
    const Traffic traffic = arbitrary_traffic();
    Traffic shuffled = traffic;
    for (std::size_t i = shuffled.entries.size(); i > 1; --i) {
      std::swap(shuffled.entries[i - 1], shuffled.entries[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    RC_ASSERT(parse_traffic(format_traffic(shuffled, "mtx"), "mtx").entries == traffic.entries);
  });
  EXPECT_TRUE(passed);
}

TEST(WriteTraffic, GoesThroughAFile) {
  const ScratchDirectory scratch;
  const Traffic traffic{2, {{0, 1, 5}}, ""};
  write_traffic(traffic, scratch / "g.mtx", "mtx");
  EXPECT_EQ(read_traffic(scratch / "g.mtx").entries, traffic.entries);
}

TEST(WriteTraffic, RefusesAHugeDenseMatrix) {
  EXPECT_THAT(error_of([] {
                format_traffic(Traffic{100000, {}, ""}, "dense");
              }),
              HasSubstr("too many for a dense matrix"));
}

}  // namespace
}  // namespace tofa
