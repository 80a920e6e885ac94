// SPDX-License-Identifier: BSD-3-Clause
// The page is a template, filled in once from front to back: nothing that is filled in is looked at
// again, and all of it is escaped.
#include "page/page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "page/machine_data.hpp"
#include "page/page_data.hpp"
#include "page/template.hpp"
#include "picture/picture_svg.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

constexpr std::string_view kTitleMark = "<!--title-->";
constexpr std::string_view kNotesMark = "<!--notes-->";
constexpr std::string_view kPictureMark = "<!--picture-->";
constexpr std::string_view kDataMark = "<!--data-->";

std::string plain(const std::string& text) {
  return find_invalid_utf8(text) == std::string::npos ? escape_xml(text) : "traffic";
}

// JSON that cannot end the element it is in.
std::string embeddable(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

// The machine as SVG, or why there is no picture of it.
std::string machine_html(const PageContents& contents, const MachineStates& states) {
  const PageMachine& machine = *contents.machine;
  const std::size_t most = most_label_characters(machine.topology.nodes());
  try {
    Picture picture;
    picture.title = machine.topology.describe();
    picture.bytes = !counts_messages(contents.parts.front().traffic);
    picture.layout = lay_out(machine.topology, std::max(longest_label(states.before, most),
                                                        longest_label(states.after, most)));
    picture.before = {machine.before_title, states.before};
    picture.after = {machine.after_title, states.after};
    return picture_svg(picture, machine.outages);
  } catch (const Error& error) {
    return fmt::format("<p class=\"note\">{}</p>", plain(error.what()));
  }
}

// The machine in space, or why it is not.
nlohmann::ordered_json space_json(const PageContents& contents, const MachineStates& states) {
  const PageMachine& machine = *contents.machine;
  try {
    return machine_json(lay_out_scene(machine.topology), machine, states,
                        !counts_messages(contents.parts.front().traffic));
  } catch (const Error& error) {
    return {{"problem", error.what()}};
  }
}

std::string notes_html(const std::vector<std::string>& notes) {
  std::string html;
  for (const std::string& note : notes)
    html += fmt::format("<p class=\"note\">{}</p>", plain(note));
  return html;
}

}  // namespace

std::string report_page(const PageContents& contents) {
  const CommGraph graph(contents.parts.front().traffic);
  std::optional<MachineStates> states;
  nlohmann::ordered_json space;
  std::string picture;
  if (contents.machine) {
    const PageMachine& machine = *contents.machine;
    states = {state_of(graph, machine.topology, machine.outages, machine.before),
              state_of(graph, machine.topology, machine.outages, machine.after)};
    space = space_json(contents, *states);
    // On paper, the parts of a large one cannot be told apart, but would be most of the page.
    if (machine.topology.nodes() <= kMostBoxes || space.contains("problem"))
      picture = machine_html(contents, *states);
  }
  std::string page;
  std::string_view rest = kPageTemplate;
  const auto fill = [&](std::string_view mark, const std::string& text) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  };
  fill(kTitleMark, plain(contents.title));
  fill(kNotesMark, notes_html(contents.notes));
  fill(kPictureMark, picture);
  nlohmann::ordered_json data = page_data(contents, graph, states);
  if (states) data["machine"] = std::move(space);
  fill(kDataMark, embeddable(data));
  return page.append(rest);
}

}  // namespace tofa::cli
