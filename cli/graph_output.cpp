// SPDX-License-Identifier: BSD-3-Clause
// See graph_output.hpp.
#include "graph_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common_options.hpp"

#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"

namespace tofa::cli {

void add_graph_output_options(Command& command, GraphOutput& output, bool required) {
  command
      .add_option("-o,--output", output.path,
                  required ? "File to write" : "File to write (default: standard output)")
      ->required(required)
      ->type_name("FILE");
  command.add_option("--to", output.format, "Format (default: what the extension says)")
      ->check(one_of(traffic_formats()))
      ->type_name("FORMAT");
}

std::string output_format(const GraphOutput& output) {
  if (!output.format.empty()) return output.format;
  if (output.path.empty()) return "mtx";
  std::string format = traffic_format_for(output.path);
  if (format.empty()) {
    throw Error(
        ErrorKind::bad_input, output.path, 0,
        fmt::format("the extension does not say which format to write; add --to with one of {}",
                    fmt::join(traffic_formats(), ", ")));
  }
  return format;
}

void write_graph(const Traffic& traffic, const GraphOutput& output) {
  const std::string format = output_format(output);
  if (output.path.empty()) {
    write_output("", format_traffic(traffic, format));
  } else {
    write_traffic(traffic, output.path, format);
  }
}

}  // namespace tofa::cli
