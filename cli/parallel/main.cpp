// SPDX-License-Identifier: BSD-3-Clause
// tofa-map-parallel: places ranks whose traffic one machine's memory does not hold, by several
// processes of MPI. Ends with the statuses of `tofa`: 0 done, 1 the request cannot be met, 2 the
// command line or an input is wrong.
#include <fmt/format.h>
#include <malloc.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "command_line.hpp"
#include "common_options.hpp"
#include "course.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

struct Options {
  ParallelRequest request;
  bool verbose = false;
};

void describe(Command& command, Options& options) {
  ParallelRequest& request = options.request;
  command.description(
      "Place the ranks of a graph that no single process holds, by the processes of mpirun");
  auto* graph = command
                    .add_option("--graph", request.graph,
                                "Matrix Market file, the stem of NAME.bytes.mtx, or that of parts "
                                "NAME.part-0.mtx, NAME.part-1.mtx, ...")
                    ->type_name("FILE");
  command
      .add_option("--generate", request.generate,
                  "Traffic to measure with instead: stencil3d:AxBxC or geometric:N, shuffled")
      ->type_name("WHAT")
      ->excludes(graph);
  command.add_option("--topology", request.topology, "Topology file")
      ->type_name("FILE")
      ->required();
  command.add_option("--nodes", request.nodes, "Host list; all nodes of the topology if not given")
      ->type_name("HOSTLIST");
  command.add_option("--slots", request.slots, "Ranks that a node takes")
      ->capture_default_str()
      ->check(range(1U, 1U << 20U));
  command.add_option("--seed", request.seed, "Seed of the search")->capture_default_str();
  command.add_option("--effort", request.effort, "fast, normal or thorough")
      ->capture_default_str()
      ->check(one_of({"fast", "normal", "thorough"}));
  command.add_option("--time-limit", request.time_limit, "Seconds for placing the groups at most")
      ->capture_default_str()
      ->check(range(0.001, 1e6));
  command.add_option("-o,--output", request.output, "Write there instead of standard output")
      ->type_name("FILE");
  command.add_flag("-v,--verbose", options.verbose,
                   "Say on standard error what is done, what it costs, and memory per process");
  command.footer(
      "Example:\n"
      "  mpirun -n 4 tofa-map-parallel --graph app --topology torus.toml --slots 64 -o hosts");
}

// The most memory that this process ever had, in MiB; 0 where the system does not say.
std::uint64_t peak_memory() {
  constexpr std::string_view key = "VmHWM:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::string_view rest = line;
    if (next_word(rest) != key) continue;
    return parse_number<std::uint64_t>(next_word(rest)).value_or(0) >> 10U;
  }
  return 0;
}

// Line i names the node of rank i. In pieces that fit a buffer; a file appears whole or not at all.
void write_hostfile(const ParallelPlacement& placement, const std::string& path) {
  constexpr std::size_t buffer = 1U << 24U;
  const bool to_stdout = path.empty() || path == "-";
  std::string text;
  for (const Node node : placement.nodes) {
    text += placement.topology->name(node);
    text += '\n';
    if (to_stdout && text.size() > buffer) {
      fmt::print("{}", text);
      text.clear();
    }
  }
  write_output(path, text);
}

void run(Processes& processes, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto tell = [&](const std::string& what) {
    if (!options.verbose) return;
    const auto peaks = processes.gather(peak_memory());
    if (!processes.first()) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "tofa-map-parallel: {:.1f} s, peak MiB {}: {}\n", seconds.count(),
               fmt::join(peaks, " "), what);
  };
  const ParallelPlacement placement = place_together(processes, options.request, tell);
  processes.on_first([&] {
    write_hostfile(placement, options.request.output);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw Error(ErrorKind::unavailable, "cannot write the mapping to standard output");
  });
  tell(fmt::format("written: {} ranks, hop-bytes {:.0f}, {:.4f} hops per byte", placement.ranks,
                   placement.cost.hop_bytes,
                   placement.cost.bytes > 0 ? placement.cost.hop_bytes / placement.cost.bytes : 0));
}

// What to end with, where the command line says so already. Only one process says what is wrong.
std::optional<int> parse(Processes& processes, Options& options, int argc, char** argv) {
  Program program("tofa-map-parallel", TOFA_VERSION);
  describe(program.command(), options);
  constexpr int go_on = -1;
  int status = go_on;
  if (processes.first()) status = program.parse(argc, argv).value_or(go_on);
  if (processes.first() && status == go_on && options.request.graph.empty() &&
      options.request.generate.empty()) {
    std::fputs("tofa-map-parallel: --graph is required; it names the traffic\n", stderr);
    status = 2;
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, processes.all());
  if (status != go_on) return status;
  if (!processes.first()) program.parse(argc, argv);
  return std::nullopt;
}

int main(int argc, char** argv) {
  Processes processes(MPI_COMM_WORLD);
  Options options;
  if (const auto status = parse(processes, options, argc, argv)) return *status;
  try {
    run(processes, options);
  } catch (const Error& error) {
    if (processes.first()) fmt::print(stderr, "tofa-map-parallel: {}\n", error.what());
    return error.kind() == ErrorKind::bad_input ? 2 : 1;
  } catch (const std::exception& error) {
    // Of this process alone, as a lack of memory: the others would wait for it.
    fmt::print(
        stderr,
        "tofa-map-parallel: process {}: {}; more processes on more nodes need less memory each\n",
        processes.rank(), error.what());
    MPI_Abort(processes.all(), 1);
  }
  return 0;
}

}  // namespace
}  // namespace tofa::cli

int main(int argc, char** argv) {
  // Large vectors that grow and go would leave holes that nothing fits in: they are the system's
  // again at once.
  constexpr int large = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, large);
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = tofa::cli::main(argc, argv);
  MPI_Finalize();
  return status;
}
