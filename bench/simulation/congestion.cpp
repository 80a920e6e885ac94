// SPDX-License-Identifier: BSD-3-Clause
// congestion PLATFORM.xml TOPOLOGY.toml [STATES [FIRST]]: what it is worth to know the load of
// links. On a torus that other jobs use, programs run where the launcher would put them, where tofa
// does without knowing of the others, and where it does when it knows. Prints a line of each state
// and program, and of the time that congestion costs the default, the share that each wins back.
//
// The load is measured as a site would: the other jobs run alone for a while, and what their links
// carried is what tofa reads. Each simulation is a process of its own, since SimGrid runs once.
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "tofa/link_load.hpp"
#include "tofa/place.hpp"

namespace {

namespace sg4 = simgrid::s4u;
using tofa::Mapping;
using tofa::Node;
using tofa::Rank;
using Random = std::mt19937_64;

constexpr double kBandwidth = 1.25e9;  // of torus.sh: 10 Gbit/s
constexpr int kSide = 4;               // ranks are a periodic cube of this side
constexpr Rank kRanks = kSide * kSide * kSide;
constexpr int kIterations = 4;
constexpr double kCongested = 1.1;  // times slower than alone: less is no congestion
constexpr double kMeasured = 0.1;   // seconds that others are watched for
constexpr std::uint64_t kChunk = 1 << 20;

struct Stream {
  Node from;
  Node to;
  double rate;  // bytes per second at most
};

struct Message {
  Rank from;
  Rank to;
  std::uint64_t bytes;
};
using Program = std::vector<Message>;  // of an iteration

// Everybody sends to the neighbours in a box around: by how many dimensions they differ, so much.
Program halos(const std::array<std::uint64_t, 4>& bytes_by_distance) {
  Program program;
  const auto rank_at = [](int x, int y, int z) {
    const auto wrap = [](int c) { return (c + kSide) % kSide; };
    return static_cast<Rank>((wrap(x) * kSide + wrap(y)) * kSide + wrap(z));
  };
  for (int i = 0; i < static_cast<int>(kRanks) * 27; ++i) {
    const int rank = i / 27;
    const int step = i % 27;
    const std::array<int, 3> by = {step / 9 - 1, step / 3 % 3 - 1, step % 3 - 1};
    const auto distance = static_cast<std::size_t>(3 - std::count(by.begin(), by.end(), 0));
    if (bytes_by_distance[distance] == 0) continue;
    program.push_back({static_cast<Rank>(rank),
                       rank_at(rank / (kSide * kSide) + by[0], rank / kSide % kSide + by[1],
                               rank % kSide + by[2]),
                       bytes_by_distance[distance]});
  }
  return program;
}

// A sparse matrix of a 27-point mesh, and the scalars of a solver: a sum over all, by a tree.
Program spmv() {
  Program program = halos({0, 256 << 10, 64 << 10, 16 << 10});
  for (Rank rank = 1; rank < kRanks; ++rank) {
    program.push_back({rank, (rank - 1) / 2, 8});
    program.push_back({(rank - 1) / 2, rank, 8});
  }
  return program;
}

Program nearest_neighbour() {
  return halos({0, 1 << 20, 0, 0});
}

tofa::CommGraph graph_of(const Program& program) {
  tofa::Traffic traffic{kRanks, {}, ""};
  for (const Message& message : program)
    traffic.entries.push_back({message.from, message.to, message.bytes});
  return tofa::CommGraph(traffic);
}

sg4::Host* host(Node node) {
  return sg4::Host::by_name("n" + std::to_string(node));
}

void run_rank(Rank rank, const Program& program) {
  const auto box = [](Rank from, Rank to) {
    return sg4::Mailbox::by_name(fmt::format("{}-{}", from, to));
  };
  for (int i = 0; i < kIterations; ++i) {
    static int token = 0;
    std::vector<sg4::CommPtr> under_way;
    std::vector<void*> received(program.size());
    for (std::size_t m = 0; m < program.size(); ++m) {
      const Message& message = program[m];
      if (message.from == rank)
        under_way.push_back(box(rank, message.to)->put_async(&token, message.bytes));
      if (message.to == rank)
        under_way.push_back(box(message.from, rank)->get_async<void>(&received[m]));
    }
    for (const auto& comm : under_way) comm->wait();
  }
}

// In a process of its own: what `work` answers.
std::vector<double> in_child(const std::function<std::vector<double>()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(stdout);  // else the child has it, too
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const std::vector<double> answer = work();
    const auto size = static_cast<ssize_t>(answer.size() * sizeof(double));
    const bool written = ::write(ends[1], answer.data(), static_cast<std::size_t>(size)) == size;
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::vector<double> answer;
  for (double value = 0; ::read(ends[0], &value, sizeof value) == sizeof value;)
    answer.push_back(value);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("a simulation failed");
  return answer;
}

void load_platform(sg4::Engine& engine, const std::string& platform) {
  engine.load_platform(platform);
}

// The streams go on for as long as anything else does; `sent` counts their bytes.
void start_streams(const std::vector<Stream>& streams, std::vector<double>& sent) {
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const auto box = [i] { return sg4::Mailbox::by_name(fmt::format("stream {}", i)); };
    sg4::Actor::create("stream", host(streams[i].from), [&streams, box, i] {
      sg4::Actor::self()->daemonize();
      for (char token = 0;;) {
        box()->put_init(&token, kChunk)->set_rate(streams[i].rate)->wait();
      }
    });
    sg4::Actor::create("sink", host(streams[i].to), [&sent, box, i] {
      sg4::Actor::self()->daemonize();
      for (;; sent[i] += kChunk) box()->get<char>();
    });
  }
}

sg4::Engine& new_engine() {
  static std::vector<std::string> words = {"congestion", "--log=root.thresh:error"};
  static std::vector<char*> arguments = {words[0].data(), words[1].data(), nullptr};
  static int count = 2;
  return *new sg4::Engine(&count, arguments.data());  // lives as long as the process
}

// Bytes per second of each stream when there is nothing else.
std::vector<double> watch(const std::string& platform, const std::vector<Stream>& streams) {
  return in_child([&] {
    sg4::Engine& engine = new_engine();
    load_platform(engine, platform);
    std::vector<double> sent(streams.size());
    start_streams(streams, sent);
    sg4::Actor::create("clock", host(0), [] { sg4::this_actor::sleep_for(kMeasured); });
    engine.run();
    for (double& bytes : sent) bytes /= kMeasured;
    return sent;
  });
}

// Seconds that a program takes beside the streams.
double seconds_of(const std::string& platform, const Program& program, const Mapping& mapping,
                  const std::vector<Stream>& streams) {
  return in_child([&] {
           sg4::Engine& engine = new_engine();
           load_platform(engine, platform);
           std::vector<double> sent(streams.size());
           start_streams(streams, sent);
           for (Rank rank = 0; rank < kRanks; ++rank)
             sg4::Actor::create("rank", host(mapping[rank]),
                                [&, rank] { run_rank(rank, program); });
           engine.run();
           return std::vector<double>{sg4::Engine::get_clock()};
         })
      .at(0);
}

// What the network is like: a part of the torus, half of it the job's, and streams between others
// of its nodes that meet on a few links.
struct State {
  std::vector<Node> nodes;
  std::vector<Stream> streams;
};

State make_state(const tofa::Topology& torus, std::uint64_t seed) {
  Random random(seed);
  const auto below = [&random](std::size_t count) { return random() % count; };
  constexpr std::array<unsigned, 3> kBox = {6, 5, 5};
  const tofa::Grid& grid = *torus.grid();
  std::array<unsigned, 3> corner{};
  for (std::size_t d = 0; d < 3; ++d) corner[d] = static_cast<unsigned>(below(grid.extent(d)));
  std::vector<Node> box;
  for (unsigned i = 0; i < kBox[0] * kBox[1] * kBox[2]; ++i) {
    const std::array<unsigned, 3> by = {i % kBox[0], i / kBox[0] % kBox[1], i / kBox[0] / kBox[1]};
    std::vector<unsigned> at;
    for (std::size_t d = 0; d < 3; ++d) at.push_back((corner[d] + by[d]) % grid.extent(d));
    box.push_back(grid.position(at));
  }
  std::shuffle(box.begin(), box.end(), random);
  State state;
  state.nodes.assign(box.begin(), box.begin() + kRanks);
  std::sort(state.nodes.begin(), state.nodes.end());
  const std::vector<Node> others(box.begin() + kRanks, box.end());
  // Of all ways between the others, some over each of a few links.
  constexpr int kHotSpots = 6;
  constexpr std::size_t kStreamsOver = 8;
  std::vector<tofa::Link> way;
  for (int spot = 0; spot < kHotSpots; ++spot) {
    way.clear();
    torus.route(box[below(box.size())], box[below(box.size())], way);
    if (way.empty()) continue;
    const tofa::Link hot = way[below(way.size())];
    std::vector<Stream> over;
    for (const Node from : others) {
      for (const Node to : others) {
        way.clear();
        torus.route(from, to, way);
        if (std::find(way.begin(), way.end(), hot) == way.end()) continue;
        over.push_back({from, to, (0.3 + 0.01 * static_cast<double>(below(70))) * kBandwidth});
      }
    }
    std::shuffle(over.begin(), over.end(), random);
    over.resize(std::min(over.size(), kStreamsOver));
    state.streams.insert(state.streams.end(), over.begin(), over.end());
  }
  return state;
}

// As a site would write it: a line for each link and stream.
std::string load_file(const tofa::Topology& torus, const std::vector<Stream>& streams,
                      const std::vector<double>& rates) {
  std::string text;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::vector<tofa::Link> links;
    torus.route(streams[i].from, streams[i].to, links);
    for (const tofa::Link link : links) {
      text += fmt::format("{} {} {:.0f}\n", torus.vertex_name(torus.link_source(link)),
                          torus.vertex_name(torus.link_target(link)), rates[i]);
    }
  }
  return text;
}

struct Way {
  const char* name;
  bool knows;
  tofa::PairCostRule rule;
  const char* objective;
};
using tofa::LinkMeasure;
using tofa::RouteReduction;
constexpr std::array<Way, 4> kWays = {{
    {"hops", false, {LinkMeasure::hops, RouteReduction::sum}, "hop-bytes"},
    {"unaware", false, {}, "completion-time"},
    {"bw, worst link", true, {LinkMeasure::bandwidth, RouteReduction::max}, "pair-cost"},
    {"tofa", true, {}, "completion-time"},
}};

constexpr std::size_t kUnaware = 1;
constexpr std::size_t kTofa = 3;

int run(const std::string& platform, const std::string& topology_file, std::uint64_t states,
        std::uint64_t first) {
  const auto torus = tofa::read_topology(topology_file);
  torus->set_bandwidths({kBandwidth});
  const std::array<std::pair<const char*, Program>, 2> programs = {
      {{"spmv", spmv()}, {"nearest", nearest_neighbour()}}};
  std::array<double, kWays.size()> won{};
  std::array<double, kWays.size()> lost_time{};
  double lost_by_unaware = 0;
  double won_by_knowing = 0;
  int cases = 0;
  fmt::print("{:<6}{:<9}{:>9}{:>10}", "state", "program", "free/ms", "busy/ms");
  for (const Way& way : kWays) fmt::print("{:>16}", way.name);
  fmt::print("  unaware, free\n");
  std::uint64_t congested = 0;
  for (std::uint64_t seed = first; congested < states && seed < first + 20 * states; ++seed) {
    const State state = make_state(*torus, seed);
    const auto rates = watch(platform, state.streams);
    std::size_t ahead = 0;
    const tofa::LinkUse use = tofa::link_use_of(
        tofa::parse_link_load(load_file(*torus, state.streams, rates), "load", {}, 0, ahead),
        *torus);
    tofa::Allocation allocation;
    for (const Node node : state.nodes) allocation.push_back({node, 1});
    bool counts = false;
    for (const auto& [name, program] : programs) {
      const tofa::CommGraph graph = graph_of(program);
      const Mapping linear = tofa::default_mapping(*torus, allocation, kRanks);
      const double free = seconds_of(platform, program, linear, {});
      const double busy = seconds_of(platform, program, linear, state.streams);
      if (busy < kCongested * free) continue;
      counts = true;
      fmt::print("{:<6}{:<9}{:>9.2f}{:>10.2f}", seed, name, free * 1e3, busy * 1e3);
      double unaware = 0;
      double unaware_free = 0;
      for (std::size_t w = 0; w < kWays.size(); ++w) {
        const Way& way = kWays[w];
        tofa::weigh_links(*torus, way.knows ? use : tofa::LinkUse{}, way.rule);
        tofa::PlaceOptions options;
        options.objective = tofa::parse_objective(way.objective);
        options.time_limit_seconds = 600;
        options.work = tofa::PlannedWork{0.2};
        const Mapping mapping = tofa::place(graph, *torus, {}, allocation, options).mapping;
        const double seconds = seconds_of(platform, program, mapping, state.streams);
        const double share = (busy - seconds) / (busy - free);
        if (w == kUnaware) {
          unaware = seconds;
          unaware_free = seconds_of(platform, program, mapping, {});
        }
        if (w == kTofa && unaware > unaware_free) {
          lost_by_unaware += unaware - unaware_free;
          won_by_knowing += unaware - seconds;
        }
        won[w] += share;
        lost_time[w] += seconds;
        fmt::print("{:>8.2f}{:>6.0f} %", seconds * 1e3, 100 * share);
      }
      ++cases;
      fmt::print("{:>12.2f}\n", unaware_free * 1e3);
      std::fflush(stdout);
    }
    congested += counts;
  }
  fmt::print(
      "\nShare of the time lost to congestion that is won back, mean of {} cases in {} states:\n",
      cases, congested);
  for (std::size_t w = 0; w < kWays.size(); ++w)
    fmt::print("{:<16}{:>6.1f} %   {:.2f} ms\n", kWays[w].name, 100 * won[w] / cases,
               lost_time[w] / cases * 1e3);
  fmt::print("Of what congestion costs placements that do not know of it, knowing wins {:.1f} %\n",
             100 * won_by_knowing / lost_by_unaware);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    fmt::print(stderr, "usage: congestion PLATFORM.xml TOPOLOGY.toml [STATES [FIRST]]\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argc > 3 ? std::stoull(argv[3]) : 20,
               argc > 4 ? std::stoull(argv[4]) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "congestion: {}\n", error.what());
    return 1;
  }
}
