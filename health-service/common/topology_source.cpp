// SPDX-License-Identifier: BSD-3-Clause
// What is no topology is not handed out: it would be refused, with a warning, on every node.
#include "common/topology_source.hpp"

#include <cerrno>
#include <cstring>

#include "base/fingerprint.hpp"
#include "common/same_file.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/topology.hpp"

namespace tofa::health {
void TopologySource::read() {
  struct stat now {};
  if (::stat(path_.c_str(), &now) != 0) {
    throw Error(ErrorKind::bad_input, path_, 0,
                std::string(std::strerror(errno)) + "; name the site's topology file: --topology");
  }
  if (is_read_ && same_file(now, read_)) return;
  is_read_ = false;
  text_ = read_file(path_, {.max_bytes = kLargestTopology, .max_stream_bytes = 0});
  if (text_.find('\0') != std::string::npos) {
    throw Error(ErrorKind::bad_input, path_, 0, "is no text; name the site's topology file");
  }
  (void)parse_topology(text_, path_);
  fingerprint_ = fingerprint_of(text_);
  read_ = now;
  is_read_ = true;
}

TopologyAnswer TopologySource::answer(std::string_view known, std::time_t now) {
  const std::lock_guard lock(mutex_);
  TopologyAnswer answer;
  if (!path_.empty()) {
    read();
    answer.unchanged = known == fingerprint_;
    answer.text = answer.unchanged ? fingerprint_ : text_;
  }
  if (sign_) {
    answer.signature =
        sign_(answer.text, now, answer.unchanged ? kUnchangedTopology : kTopologyText);
  }
  return answer;
}

}  // namespace tofa::health
