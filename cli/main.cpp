// SPDX-License-Identifier: BSD-3-Clause
// The `tofa` command. This file sets up the subcommands and turns errors into messages and exit
// statuses: 0 for success, 1 for a request that could not be met, 2 for bad input or usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "heap.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "usage.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"tofa: topology- and fault-aware placement of MPI ranks", "tofa"};
  app.set_version_flag("-V,--version", "tofa " TOFA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  tofa map --graph app --topology torus.toml -o hosts\n"
      "  tofa explain --graph app --topology torus.toml\n"
      "  tofa evaluate --graph app --topology torus.toml --mapping hosts --json\n"
      "  tofa heatmap --graph app -o app.svg\n"
      "Each subcommand has its own --help; man tofa has the whole story.");
  tofa::cli::Command command(app);
  std::vector<std::string> words(argv + 1, argv + argc);
  tofa::cli::add_all_subcommands(command, words);
  try {
    tofa::cli::ask_for_help(app, words);
    std::reverse(words.begin(), words.end());  // the parser takes them from the back
    app.parse(words);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "tofa: %s\n", tofa::cli::explain_usage(app, error).c_str());
    return 2;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "tofa: cannot write to standard output: %s\n", std::strerror(errno));
    return 1;
  }
  return command.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  tofa::cli::take_large_pages();
  try {
    return run(argc, argv);
  } catch (const tofa::Error& error) {
    std::fprintf(stderr, "tofa: %s\n", error.what());
    return error.kind() == tofa::ErrorKind::bad_input ? 2 : 1;
  } catch (const std::bad_alloc&) {
    std::fputs("tofa: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tofa: %s\n", error.what());
  }
  return 1;
}
