// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market: what is read, and what each kind of damage is called.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support.hpp"
#include "tofa/graph_io.hpp"

namespace tofa::matrix_market_test {
namespace {

using test::error_of;
using testing::HasSubstr;

const std::string kHeader = "%%MatrixMarket matrix coordinate integer general\n";

std::string error_in(const std::string& text) {
  return error_of([&] { parse_traffic(text, "a.mtx"); });
}

TEST(MatrixMarket, Reads) {
  const Traffic traffic = parse_traffic(
      kHeader + "% note\n%tofa {\"version\": 1}\n3 3 3\n3 1 7\n1 2 5\n1 2 1\n", "a.mtx");
  EXPECT_EQ(traffic.ranks, 3U);
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 6}, {2, 0, 7}}));
  EXPECT_EQ(traffic.metadata, "{\"version\": 1}");
}

TEST(MatrixMarket, ToleratesBlankLinesAndCrLf) {
  const Traffic traffic = parse_traffic(
      "\xEF\xBB\xBF%%matrixmarket MATRIX Coordinate Real General\r\n\r\n%tofa {}\r\n2 2 1\r\n\r\n "
      "1\t2   1.5e3 \r\n\r\n",
      "a.mtx");
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 1500}}));
  EXPECT_EQ(traffic.metadata, "{}");
}

// Most lines are read in a quick way, others in a careful one.
RC_GTEST_PROP(MatrixMarketProperty, ReadsTheSameHoweverLinesAreWritten, ()) {
  constexpr Rank ranks = 40;
  const std::vector<std::string> styles = {"{} {} {}\n",   "{}  {}\t{}\n",     " {} {} {} \n",
                                           "{} {} {}\r\n", "00{} 0{} 000{}\n", "% x\n\n{} {} {}\n"};
  Traffic expected;
  expected.ranks = ranks;
  std::string lines;
  const auto count = *rc::gen::inRange(1, 50);
  for (int i = 0; i < count; ++i) {
    const TrafficEntry entry{*rc::gen::inRange<Rank>(0, ranks), *rc::gen::inRange<Rank>(0, ranks),
                             *rc::gen::inRange<Bytes>(0, Bytes{1} << 57U)};
    expected.entries.push_back(entry);
    lines += fmt::format(fmt::runtime(*rc::gen::elementOf(styles)), entry.sender + 1,
                         entry.receiver + 1, entry.value);
  }
  const std::string start = kHeader + fmt::format("{0} {0} {1}\n", ranks, count);
  const std::string whole = start + lines;
  const bool ended = *rc::gen::arbitrary<bool>();
  expected.normalise();
  RC_ASSERT(parse_traffic(ended ? whole : whole.substr(0, whole.size() - 1), "a.mtx").entries ==
            expected.entries);
  const auto line = std::count(whole.begin(), whole.end(), '\n') + 1;
  const std::string error = error_in(whole + "1 1 1\n");
  RC_ASSERT(error.find(fmt::format("a.mtx:{}: more entries", line)) != std::string::npos);
}

TEST(MatrixMarket, SymmetricEntriesStandForBothDirections) {
  const Traffic traffic = parse_traffic(
      "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 4\n", "a.mtx");
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 0, 3}, {0, 1, 4}, {1, 0, 4}}));
}

TEST(MatrixMarket, SaysWhatIsWrongInTheHeader) {
  EXPECT_THAT(error_in("%%MatrixMarket matrix array real general\n2 2\n"),
              HasSubstr("a.mtx:1: header \"%%MatrixMarket matrix array"));
  EXPECT_THAT(error_in("%%MatrixMarket matrix coordinate pattern general\n2 2 0\n"),
              HasSubstr("a.mtx:1: header"));
  EXPECT_THAT(error_in(kHeader), HasSubstr("a.mtx:1: ends before the size line"));
  EXPECT_THAT(error_in(kHeader + "2 2\n"), HasSubstr("a.mtx:2: size line \"2 2\""));
  EXPECT_THAT(error_in(kHeader + "2 2 1 1\n"), HasSubstr("a.mtx:2: size line"));
  EXPECT_THAT(error_in(kHeader + "2 3 0\n"), HasSubstr("a.mtx:2: matrix of 2 x 3"));
  EXPECT_THAT(error_in(kHeader + "4000000000 4000000000 0\n"), HasSubstr("at most 16777216"));
  EXPECT_THAT(error_in(kHeader + "0 0 0\n"), HasSubstr("no ranks"));
  EXPECT_THAT(error_in(kHeader + "%tofa {\"a\":\n2 2 0\n"), HasSubstr("a.mtx:2: %tofa comment"));
  EXPECT_THAT(error_in(kHeader + "%tofa {}\n%tofa {}\n2 2 0\n"), HasSubstr("a.mtx:3: a second"));
}

TEST(MatrixMarket, SaysWhatIsWrongInAnEntry) {
  const std::string start = kHeader + "2 2 1\n";
  EXPECT_THAT(error_in(start + "1 2 -5\n"), HasSubstr("a.mtx:3: byte count \"-5\" is negative"));
  EXPECT_THAT(error_in(start + "1 2 1.5\n"),
              HasSubstr("a.mtx:3: byte count \"1.5\" is not a whole"));
  EXPECT_THAT(error_in(start + "1 2 nan\n"), HasSubstr("\"nan\" is not a number"));
  EXPECT_THAT(error_in(start + "1 2 18446744073709551616\n"), HasSubstr("does not fit 64 bits"));
  EXPECT_THAT(error_in(start + "1 3 5\n"), HasSubstr("a.mtx:3: column 3 is outside 1 to 2"));
  EXPECT_THAT(error_in(start + "0 1 5\n"), HasSubstr("a.mtx:3: row 0 is outside 1 to 2"));
  EXPECT_THAT(error_in(start + "x 1 5\n"), HasSubstr("a.mtx:3: row \"x\" is not a whole number"));
  EXPECT_THAT(error_in(start + "1 2\n"), HasSubstr("a.mtx:3: entry \"1 2\" is not"));
  EXPECT_THAT(error_in(start + "1 2 3 4\n"), HasSubstr("a.mtx:3: entry \"1 2 3 4\" is not"));
  EXPECT_THAT(error_in("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n1 2 4\n"),
              HasSubstr("a.mtx:3: entry 1 2 above the diagonal"));
  EXPECT_THAT(error_in(kHeader + "2 2 2\n1 2 18446744073709551615\n1 2 1\n"),
              HasSubstr("a.mtx: the traffic adds up to more than 64 bits"));
}

TEST(MatrixMarket, CountsEntries) {
  EXPECT_THAT(error_in(kHeader + "2 2 2\n1 2 5\n"),
              HasSubstr("a.mtx:3: ends after 1 of 2 entries"));
  EXPECT_THAT(error_in(kHeader + "2 2 1\n1 2 5\n2 1 5\n"),
              HasSubstr("a.mtx:4: more entries than the 1"));
  // A declared size far beyond the file must not be believed.
  EXPECT_THAT(error_in(kHeader + "2 2 9999999999999\n1 2 5\n"),
              HasSubstr("1 of 9999999999999 entries"));
}

// So long that two lanes read it.
class LongMatrix {
 public:
  LongMatrix() {
    for (Rank a = 0; a < kRanks; ++a) {
      for (Rank b = 0; b < kRanks; ++b) {
        entries_.push_back({a, b, a * 1'000'003ULL * b});
        lines_.push_back(fmt::format("{} {} {}\n", a + 1, b + 1, entries_.back().value));
      }
    }
  }

  // With a line in another one's place, and as many entries as it says.
  std::string with(std::size_t at, const std::string& line, std::size_t count) const {
    std::string text = kHeader + fmt::format("{0} {0} {1}\n", kRanks, count);
    for (std::size_t i = 0; i < lines_.size(); ++i) text += i == at ? line : lines_[i];
    return text;
  }
  std::string line(std::size_t at) const { return lines_[at]; }
  std::size_t size() const { return lines_.size(); }
  const std::vector<TrafficEntry>& entries() const { return entries_; }

 private:
  static constexpr Rank kRanks = 400;
  std::vector<TrafficEntry> entries_;
  std::vector<std::string> lines_;
};

TEST(MatrixMarket, ReadsALongOneHoweverALineIsWritten) {
  const LongMatrix matrix;
  ASSERT_GT(matrix.with(0, matrix.line(0), matrix.size()).size(), 2U << 20);
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{100}, matrix.size() - 100, matrix.size() - 1}) {
    const std::string plain = matrix.line(at);
    for (const std::string& line : {plain, " " + plain, "% note\n\n" + plain}) {
      EXPECT_EQ(parse_traffic(matrix.with(at, line, matrix.size()), "a.mtx").entries,
                matrix.entries());
    }
  }
  const std::string text = matrix.with(0, matrix.line(0), matrix.size());
  EXPECT_EQ(parse_traffic(text.substr(0, text.size() - 1), "a.mtx").entries, matrix.entries());
}

TEST(MatrixMarket, SaysWhereALongOneIsWrong) {
  const LongMatrix matrix;
  const std::size_t count = matrix.size();
  for (const std::size_t at : {std::size_t{0}, std::size_t{100}, count - 100, count - 1}) {
    EXPECT_THAT(error_in(matrix.with(at, "1 401 5\n", count)),
                HasSubstr(fmt::format("a.mtx:{}: column 401 is outside 1 to 400", at + 3)));
    EXPECT_THAT(error_in(matrix.with(count, "", at)),
                HasSubstr(fmt::format("a.mtx:{}: more entries than the {}", at + 3, at)));
  }
  EXPECT_THAT(error_in(matrix.with(count - 1, "", count)),
              HasSubstr(fmt::format("ends after {} of {} entries", count - 1, count)));
}

TEST(MatrixMarket, RefusesWhatIsNotText) {
  EXPECT_THAT(error_in(kHeader + "2 2 1\n1 2 \xff\n"), HasSubstr("a.mtx:3: not text: byte 0xff"));
  EXPECT_THAT(error_in(kHeader + std::string("2 2 1\n1 2 3\0", 12)),
              HasSubstr("a.mtx:3: not text"));
}

}  // namespace
}  // namespace tofa::matrix_market_test
