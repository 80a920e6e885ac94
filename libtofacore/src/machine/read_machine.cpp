// SPDX-License-Identifier: BSD-3-Clause
// Machines as hwloc knows them: recorded in XML, described in a line, or the one this runs on. The
// only file that knows hwloc.
#include <fmt/core.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/machine.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr const char* kForms =
    "name an hwloc XML file (lstopo machine.xml), a description such as \"package:2 l3:2 core:4\", "
    "or local for this machine";

// Cores, or hardware threads of a description, at most: more than the largest node has, and little
// enough that no description keeps hwloc busy for long.
constexpr std::uint64_t kMost = 4096;

constexpr std::array<std::pair<hwloc_obj_type_t, const char*>, 4> kLevels = {{
    {HWLOC_OBJ_PACKAGE, "package"},
    {HWLOC_OBJ_NUMANODE, "numa"},
    {HWLOC_OBJ_L3CACHE, "l3"},
    {HWLOC_OBJ_L2CACHE, "l2"},
}};

class Hwloc {
 public:
  Hwloc() {
    if (hwloc_topology_init(&topology_) != 0)
      throw Error(ErrorKind::unavailable, "hwloc cannot be initialised");
  }
  ~Hwloc() { hwloc_topology_destroy(topology_); }
  Hwloc(const Hwloc&) = delete;
  Hwloc& operator=(const Hwloc&) = delete;
  hwloc_topology_t get() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
};

bool set_xml(const Hwloc& hwloc, const std::string& file) {
  const std::string text = read_file(file, {.max_bytes = 64 << 20});
  return hwloc_topology_set_xmlbuffer(hwloc.get(), text.c_str(),
                                      static_cast<int>(text.size()) + 1) == 0;
}

// The product of the numbers of a description.
std::uint64_t threads_of(std::string_view text) {
  std::uint64_t product = 1;
  while (!text.empty() && product <= kMost) {
    const std::string_view word = next_word(text);
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    product *= std::min(parse_number<std::uint64_t>(word.substr(colon + 1)).value_or(1), kMost + 1);
  }
  return product;
}

// Descriptions of hwloc end in hardware threads; without them a core has one.
bool set_synthetic(const Hwloc& hwloc, const std::string& text) {
  if (threads_of(text) > kMost) {
    throw Error(ErrorKind::bad_input,
                fmt::format("machine \"{}\" has more than {} hardware threads; describe one node",
                            text, kMost));
  }
  return hwloc_topology_set_synthetic(hwloc.get(), text.c_str()) == 0 ||
         hwloc_topology_set_synthetic(hwloc.get(), (text + " pu:1").c_str()) == 0;
}

// Which object of a level each core belongs to; empty when the level tells no two cores apart.
std::vector<unsigned> groups_of(const Hwloc& hwloc, hwloc_obj_type_t type,
                                const std::vector<hwloc_obj_t>& cores) {
  std::vector<unsigned> groups;
  const auto count = static_cast<unsigned>(hwloc_get_nbobjs_by_type(hwloc.get(), type));
  for (const hwloc_obj_t core : cores) {
    unsigned group = count + core->logical_index;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(hwloc.get(), type, object)) != nullptr) {
      if (hwloc_bitmap_isincluded(core->cpuset, object->cpuset) == 0) continue;
      group = object->logical_index;
      break;
    }
    groups.push_back(group);
  }
  return groups;
}

// The cores; where hwloc sees none, hardware threads stand for them.
std::vector<hwloc_obj_t> cores_of(const Hwloc& hwloc) {
  const bool has_cores = hwloc_get_nbobjs_by_type(hwloc.get(), HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  std::vector<hwloc_obj_t> cores;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(hwloc.get(), type, core)) != nullptr) {
    cores.push_back(core);
  }
  return cores;
}

// A level that says the same as another would only count twice.
void add_level(Machine& machine, const char* name, std::vector<unsigned> groups) {
  for (const Machine::Level& level : machine.levels) {
    if (level.group == groups) return;
  }
  machine.levels.push_back({name, std::move(groups)});
}

}  // namespace

Machine read_machine(const std::string& source) {
  const Hwloc hwloc;
  if (path_exists(source)) {
    if (!set_xml(hwloc, source))
      throw Error(ErrorKind::bad_input, source, 0, std::string("is no hwloc XML; ") + kForms);
  } else if (source.find(':') != std::string::npos) {
    if (!set_synthetic(hwloc, source)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("machine \"{}\" is not a description that hwloc understands; {}",
                              source, kForms));
    }
  } else if (source != "local") {
    throw Error(ErrorKind::bad_input,
                fmt::format("machine \"{}\": there is no such file; {}", source, kForms));
  }
  if (hwloc_topology_load(hwloc.get()) != 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("machine \"{}\": hwloc cannot load it; {}", source, kForms));
  }
  const std::vector<hwloc_obj_t> cores = cores_of(hwloc);
  if (cores.empty() || cores.size() > kMost) {
    throw Error(ErrorKind::bad_input,
                fmt::format("machine \"{}\" has {} cores; 1 to {} are possible", source,
                            cores.size(), kMost));
  }
  Machine machine;
  machine.places = static_cast<unsigned>(cores.size());
  for (const auto& [type, name] : kLevels) {
    if (hwloc_get_nbobjs_by_type(hwloc.get(), type) > 1)
      add_level(machine, name, groups_of(hwloc, type, cores));
  }
  return machine;
}

}  // namespace tofa
