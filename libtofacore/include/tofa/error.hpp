// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of the library. Its message says what is wrong, where, and how to fix it,
// in the form `topology.toml:7: node "n12" has coordinates [8,0,0] outside shape [8,8,8]`.
#pragma once

#include <stdexcept>
#include <string>

namespace tofa {

enum class ErrorKind {
  bad_input,    // a file or a value the user gave is malformed
  unmet,        // a well-formed request that cannot be honoured (too few slots, a node the topology
                // lacks)
  unavailable,  // something outside did not answer: a file that cannot be read, a service, a
                // program
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  // Message prefixed with "FILE:LINE: "; line 0 leaves the line out.
  Error(ErrorKind kind, const std::string& file, std::size_t line, const std::string& message)
      : std::runtime_error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + message),
        kind_(kind) {}

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace tofa
