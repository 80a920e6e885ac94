// SPDX-License-Identifier: BSD-3-Clause
// CSV with the time of each row, as LDMS stores it: a header, `#Time, ..., ProducerName, ...`, and
// a row for each host and sample. Columns are either of links,
//
//     Time,from,to,bytes_per_second[,stalls]
//
// or of hosts, with a column for each direction, `X+_SAMPLE_GEMINI_LINK_USED_BW (%)`, or one for
// all links of the host. The unit is at the end of the name: percent of the link's bandwidth,
// `(B/s)`, or
// `(B)`, a sum since the beginning. Of several rows in the window before the newest one the mean,
// the maximum or the latest counts. A last line without an end is still being written.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

#include "link_load/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kGeminiUsed = "_SAMPLE_GEMINI_LINK_USED_BW (%)";
constexpr std::string_view kGeminiStalled = "_SAMPLE_GEMINI_LINK_CREDIT_STALL (%)";
constexpr std::size_t kMostColumns = 4096;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos || cells.size() > kMostColumns) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string_view first_line(std::string_view text) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);)
    if (!trim(line).empty()) return line;
  return {};
}

bool is_time(std::string_view name) {
  return name == "Time" || name == "#Time";
}

// `X+`, `z-`; empty where the name does not begin with one.
std::string_view direction_of(std::string_view name) {
  constexpr std::string_view letters = "xyzuvw";
  if (name.size() < 2 || (name[1] != '+' && name[1] != '-')) return {};
  const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return letters.find(letter) == std::string_view::npos ? std::string_view() : name.substr(0, 2);
}

// How the numbers of a column are meant.
enum class Unit { rate, share, counter };

Unit unit_of(std::string_view name, const LinkLoadRules& rules) {
  if (name.ends_with("(%)")) return Unit::share;
  if (name.ends_with("(B/s)")) return Unit::rate;
  return rules.counters || name.ends_with("(B)") ? Unit::counter : Unit::rate;
}

// What is seen of a link in the window.
struct Series {
  double sum = 0;
  double most = 0;
  double latest = 0;
  double latest_time = 0;
  std::size_t count = 0;
  // Of a counter, the row before; rows of a host come in the order of time.
  double last = -1;
  double last_time = 0;

  void add(double value, double time) {
    sum += value;
    most = std::max(most, value);
    if (count == 0 || time >= latest_time) latest = value;
    latest_time = std::max(latest_time, time);
    ++count;
  }
  // One that went back has begun anew.
  void count_up(double value, double time) {
    if (last >= 0 && value >= last && time > last_time)
      add((value - last) / (time - last_time), time);
    last = value;
    last_time = time;
  }
  double by(WindowValue take) const {
    if (take == WindowValue::latest) return latest;
    return take == WindowValue::max ? most : sum / static_cast<double>(count);
  }
};

struct Column {
  std::size_t index;
  std::string_view direction;  // empty: all links of the host
  bool stalls;
  Unit unit;
};

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name, const LinkLoadRules& rules)
      : text_(text), name_(name), rules_(rules) {
    if (!text_.ends_with('\n')) text_ = text_.substr(0, text_.rfind('\n') + 1);
    read_header();
  }

  LinkLoadList read(double now, std::size_t& ahead) {
    double newest = -1;
    std::size_t late = 0;
    each_row([&](double time, const auto& /*cells*/) {
      if (is_ahead(time, rules_, now)) {
        ++late;
      } else {
        newest = std::max(newest, time);
      }
    });
    if (newest < 0 && late > 0) refuse_all_ahead(name_, late);
    if (newest < 0) {
      throw Error(ErrorKind::unavailable, name_, 0, "has a header, but no row; is it written yet?");
    }
    refuse_old_load(newest, name_, rules_, now);
    each_row([&](double time, const auto& cells) {
      if (time > newest - rules_.window && !is_ahead(time, rules_, now)) add(time, cells);
    });
    ahead += late;
    return result();
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_, line_, message);
  }

  void read_header() {
    LineReader lines(text_);
    std::string_view header;
    while (lines.next(header) && trim(header).empty()) {
    }
    line_ = begin_ = lines.number();
    const auto names = split(header);
    width_ = names.size();
    const auto index = [&names](std::string_view name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    time_ =
        static_cast<std::size_t>(std::find_if(names.begin(), names.end(), is_time) - names.begin());
    from_ = index("from");
    to_ = index("to");
    host_ = index(rules_.host_column);
    if (from_ < width_ && to_ < width_) {
      const std::size_t stalls = index("stalls");
      add_column(index("bytes_per_second"), {}, false, Unit::rate);
      if (stalls < width_) add_column(stalls, {}, true, Unit::share);
    } else if (host_ < width_) {
      const std::string_view used = rules_.used_column.empty() ? kGeminiUsed : rules_.used_column;
      const std::string_view stalled =
          rules_.stalled_column.empty() ? kGeminiStalled : rules_.stalled_column;
      for (std::size_t i = 0; i < width_; ++i) {
        const std::string_view direction = direction_of(names[i]);
        const std::string_view rest = names[i].substr(direction.size());
        if (rest == used) add_column(i, direction, false, unit_of(rest, rules_));
        if (rest == stalled) add_column(i, direction, true, Unit::share);
      }
    } else {
      fail(
          fmt::format("the header has neither the columns from and to nor {}; does [link_load] "
                      "host_column fit?",
                      rules_.host_column));
    }
    if (columns_.empty() || columns_.front().index >= width_) {
      fail(
          "no column says what links carry; name it as [link_load] used_column, without its "
          "direction");
    }
  }

  void add_column(std::size_t index, std::string_view direction, bool stalls, Unit unit) {
    columns_.push_back({index, direction, stalls, unit});
  }

  template <typename Use>
  void each_row(const Use& use) {
    LineReader lines(text_);
    for (std::string_view line; lines.next(line);) {
      line_ = lines.number();
      // LDMS writes its header anew when it goes on with a file.
      if (line_ <= begin_ || trim(line).empty() || trim(line).front() == '#') continue;
      const auto cells = split(line);
      if (cells.size() != width_) {
        fail(fmt::format("{} columns, and the header has {}", cells.size(), width_));
      }
      const auto time = parse_number<double>(cells[time_]);
      if (!time || !(*time >= 0 && *time < 1e12))
        fail(fmt::format("{} is no time in seconds since 1970", excerpt(cells[time_])));
      use(*time, cells);
    }
  }

  void add(double time, const std::vector<std::string_view>& cells) {
    for (const Column& column : columns_) {
      const std::string_view cell = cells[column.index];
      if (cell.empty()) continue;  // not sampled
      auto value = parse_number<double>(cell);
      if (!value || !is_load(*value) || (column.unit == Unit::share && *value > kMostPercent)) {
        fail(fmt::format(
            "{} is no {}", excerpt(cell),
            column.unit == Unit::share ? "percentage from 0 to 100" : "number of bytes from 0"));
      }
      Series& series = series_of(column, cells);
      if (column.unit == Unit::counter) {
        series.count_up(*value * rules_.scale, time);
      } else {
        series.add(
            column.unit == Unit::share ? std::min(*value, 100.0) / 100 : *value * rules_.scale,
            time);
      }
    }
  }

  // By the ends of the link and what is said of it.
  Series& series_of(const Column& column, const std::vector<std::string_view>& cells) {
    std::string from;
    std::string to;
    if (from_ < width_ && to_ < width_) {
      from = cells[from_];
      to = cells[to_];
    } else {
      from = cells[host_];
      to = column.direction.empty() ? "*" : std::string(column.direction);
      if (rules_.incoming.value_or(rules_.used_column.empty())) std::swap(from, to);
    }
    if (series_.size() > kMostLinkSamples)
      fail(fmt::format("more than {} links", kMostLinkSamples));
    return series_[{std::move(from), std::move(to), column.stalls, column.unit}];
  }

  LinkLoadList result() const {
    LinkLoadList load;
    for (const auto& [key, series] : series_) {
      if (series.count == 0) continue;
      const auto& [from, to, stalls, unit] = key;
      const double value = series.by(rules_.take);
      LinkSample sample{.from = from, .to = to};
      if (stalls) {
        sample.stalled = value;
      } else if (unit == Unit::share) {
        sample.share = value;
      } else {
        sample.bytes_per_second = value;
      }
      load.push_back(std::move(sample));
    }
    return load;
  }

  std::string_view text_;
  const std::string& name_;
  const LinkLoadRules& rules_;
  std::size_t line_ = 0;
  std::size_t begin_ = 0;  // the line of the header
  std::size_t width_ = 0;
  std::size_t time_ = 0, from_ = 0, to_ = 0, host_ = 0;  // columns; width_: there is none
  std::vector<Column> columns_;
  std::map<std::tuple<std::string, std::string, bool, Unit>, Series> series_;
};

bool has_times(std::string_view text) {
  const auto cells = split(first_line(text));
  return cells.size() > 1 && std::any_of(cells.begin(), cells.end(), is_time);
}

LinkLoadList parse_csv(std::string_view text, const std::string& name, const LinkLoadRules& rules,
                       double now, std::size_t& ahead) {
  return CsvReader(text, name, rules).read(now, ahead);
}

}  // namespace

extern constexpr LinkLoadFormat kCsvLoadFormat{"csv", has_times, parse_csv};

}  // namespace tofa
