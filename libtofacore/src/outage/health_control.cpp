// SPDX-License-Identifier: BSD-3-Clause
// The form of requests to tofa-healthd, and the client's end of the socket. The socket does not
// block, so that a daemon that hangs holds nobody up for longer than the deadline.
#include "tofa/health_control.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "tofa/file_descriptor.hpp"
#include "tofa/host_index.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kLatestControlTime = 1e11;
constexpr std::size_t kLongestEventCause = 64;
constexpr std::size_t kLongestAnswer = std::size_t{64} << 20;

[[noreturn]] void refuse_request(const std::string& problem) {
  throw Error(ErrorKind::bad_input, problem);
}

struct CommandForm {
  ControlCommand command;
  const char* name;
  std::vector<std::string> keys;  // besides "version" and "command"
};

const std::array<CommandForm, 7>& command_forms() {
  static const std::array<CommandForm, 7> forms{{
      {ControlCommand::exclude, "exclude", {"hosts", "reason", "until"}},
      {ControlCommand::include, "include", {"hosts", "reason"}},
      {ControlCommand::event, "event", {"hosts", "start", "end", "cause"}},
      {ControlCommand::export_rows, "export", {"table", "after"}},
      {ControlCommand::explain, "explain", {"hosts", "horizon"}},
      {ControlCommand::merge, "merge", {"hosts", "into", "reason"}},
      {ControlCommand::drain, "drain", {"hosts"}},
  }};
  return forms;
}

const CommandForm& form_of(ControlCommand command) {
  return *std::find_if(command_forms().begin(), command_forms().end(),
                       [command](const CommandForm& form) { return form.command == command; });
}

class RequestParser {
 public:
  explicit RequestParser(std::string_view line) {
    if (line.size() > kLongestControlRequest) refuse_request("the request is too long");
    json_ = Json::parse(line, nullptr, false);
    if (!json_.is_object()) refuse_request("the request is not one JSON object");
  }

  ControlRequest parse() {
    const auto version = json_.find("version");
    if (version == json_.end() || *version != 1) {
      refuse_request("\"version\" must be 1; are tofa and tofa-healthd of one version?");
    }
    const CommandForm& form = find_form();
    for (const auto& [key, value] : json_.items()) {
      if (key == "version" || key == "command") continue;
      if (std::find(form.keys.begin(), form.keys.end(), key) != form.keys.end()) continue;
      refuse_request(fmt::format("unknown key {}; {} has {}", excerpt(key), form.name,
                                 fmt::join(form.keys, ", ")));
    }
    ControlRequest request;
    request.command = form.command;
    if (form.command == ControlCommand::export_rows) {
      read_export(request);
    } else if (form.command != ControlCommand::drain || json_.contains("hosts")) {
      request.hosts = text("hosts");
      if (request.hosts.empty()) refuse_request("no host is named");
      read_about_hosts(request);
    }
    return request;
  }

 private:
  const CommandForm& find_form() const {
    const std::string name = text("command");
    std::vector<std::string> known;
    for (const CommandForm& form : command_forms()) {
      if (name == form.name) return form;
      known.emplace_back(form.name);
    }
    refuse_request(
        fmt::format("unknown command {}; known are {}", excerpt(name), fmt::join(known, ", ")));
  }

  void read_about_hosts(ControlRequest& request) {
    if (request.command == ControlCommand::event) return read_event(request);
    if (request.command == ControlCommand::explain) return read_explain(request);
    if (request.command == ControlCommand::drain) return;
    if (request.command == ControlCommand::merge) read_names(request);
    read_exclusion(request);
  }

  // A merge is about two hosts, neither of which is a list.
  void read_names(ControlRequest& request) {
    request.into = text("into");
    for (const std::string& name : {request.hosts, request.into}) {
      if (!is_host_name(name)) refuse_request(fmt::format("{} is no host name", excerpt(name)));
    }
    if (request.hosts == request.into) refuse_request("both names are the same");
  }

  void read_explain(ControlRequest& request) {
    const auto horizon = json_.find("horizon");
    const bool number = horizon != json_.end() && horizon->is_number();
    request.horizon = number ? horizon->get<double>() : 0;
    if (!(request.horizon > 0 && request.horizon <= kLongestHorizon)) {
      refuse_request("\"horizon\" is no number of seconds above 0 and up to ten years");
    }
  }

  void read_exclusion(ControlRequest& request) {
    const bool needed = request.command != ControlCommand::include;
    if (needed || json_.contains("reason")) request.reason = text("reason");
    if (needed && trim(request.reason).empty()) refuse_request("no reason is given");
    if (request.reason.size() > kLongestReason) {
      refuse_request(fmt::format("the reason is longer than {} bytes", kLongestReason));
    }
    const auto control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
    if (std::any_of(request.reason.begin(), request.reason.end(), control)) {
      refuse_request("the reason has line breaks or other control characters");
    }
    request.end = time("until");
  }

  void read_event(ControlRequest& request) {
    const auto start = time("start");
    if (!start) refuse_request("no start is given");
    request.start = *start;
    request.end = time("end");
    if (request.end && *request.end < request.start)
      refuse_request("the event ends before it starts");
    request.reason = json_.contains("cause") ? text("cause") : "manual";
    // What a snapshot takes for a cause.
    if (!is_host_name(request.reason) || request.reason.size() > kLongestEventCause) {
      refuse_request(
          fmt::format("the cause {} is not one word of at most {} letters, digits, . - _",
                      excerpt(request.reason), kLongestEventCause));
    }
    if (request.reason == kNetworkCause) {
      refuse_request(
          fmt::format("the cause {} is kept for interruptions of the network, which are no "
                      "failures of hosts; name another",
                      kNetworkCause));
    }
  }

  void read_export(ControlRequest& request) {
    const std::string table = text("table");
    request.changes = table == "changes";
    if (!request.changes && table != "outages")
      refuse_request("\"table\" is not outages or changes");
    const auto after = json_.find("after");
    if (after == json_.end()) return;
    if (!after->is_number_integer() || *after < 0 || *after > INT64_MAX) {
      refuse_request("\"after\" is not a whole number from 0");
    }
    request.after = after->get<std::int64_t>();
  }

  std::string text(const char* key) const {
    const auto value = json_.find(key);
    if (value == json_.end() || !value->is_string()) {
      refuse_request(fmt::format("\"{}\", a text, is missing", key));
    }
    return value->get<std::string>();
  }

  std::optional<double> time(const char* key) const {
    const auto value = json_.find(key);
    if (value == json_.end()) return std::nullopt;
    const double time = value->is_number() ? value->get<double>() : -1;
    if (!(time > 0 && time <= kLatestControlTime)) {
      refuse_request(fmt::format("\"{}\" is no time in seconds since 1970", key));
    }
    return time;
  }

  Json json_;
};

constexpr std::array<std::pair<ErrorKind, const char*>, 3> kErrorKinds{{
    {ErrorKind::bad_input, "bad-input"},
    {ErrorKind::unmet, "unmet"},
    {ErrorKind::unavailable, "unavailable"},
}};

void throw_if_error(const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object()) {
    throw Error(ErrorKind::unavailable, "tofa-healthd ended before it had answered");
  }
  const auto error = json.find("error");
  if (error == json.end()) return;
  ErrorKind kind = ErrorKind::unavailable;
  for (const auto& [known, name] : kErrorKinds) {
    if (json.value("kind", Json()) == name) kind = known;
  }
  throw Error(kind, error->is_string() ? error->get<std::string>() : "an error without a text");
}

// Who may use the socket, for a message.
std::string group_allowed(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || (info.st_mode & S_IWGRP) == 0) return "";
  std::array<char, 4096> room{};
  group entry{};
  group* found = nullptr;
  (void)::getgrgid_r(info.st_gid, &entry, room.data(), room.size(), &found);
  return found == nullptr ? fmt::format(" and members of the group {}", info.st_gid)
                          : fmt::format(" and members of the group {}", found->gr_name);
}

[[noreturn]] void fail_to_connect(const std::string& path, int error) {
  std::string remedy = "is tofa-healthd running?";
  if (error == ENOENT) {
    remedy =
        "is tofa-healthd running here, with a socket in the section [control] of its "
        "configuration? --socket names another one";
  } else if (error == EACCES || error == EPERM) {
    remedy = fmt::format("only root, the daemon's own user{} may; a new member has to log in again",
                         group_allowed(path));
  }
  throw Error(ErrorKind::unavailable, path, 0,
              fmt::format("cannot ask tofa-healthd: {}; {}", std::strerror(error), remedy));
}

class Connection {
 public:
  Connection(const std::string& path, double deadline_seconds)
      : path_(path),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(deadline_seconds))) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
      refuse_request(fmt::format("{} is no path of a socket: 1 to {} bytes", excerpt(path),
                                 sizeof address.sun_path - 1));
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_) fail_to_connect(path, errno);
    while (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
           0) {
      // As many wait there as may.
      if (errno == EAGAIN) {
        (void)::poll(nullptr, 0, std::min(10, milliseconds_left()));
      } else if (errno != EINTR) {
        fail_to_connect(path, errno);
      }
    }
  }

  std::string ask(std::string_view request) {
    while (!request.empty()) {
      const ssize_t sent =
          ::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        request.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        await(POLLOUT);
      } else if (errno != EINTR) {
        break;  // who is not let in may have been answered already
      }
    }
    std::string answer;
    std::array<char, 65'536> part{};
    while (answer.size() <= kLongestAnswer) {
      const ssize_t size = ::recv(socket_.get(), part.data(), part.size(), MSG_DONTWAIT);
      if (size > 0) {
        answer.append(part.data(), static_cast<std::size_t>(size));
      } else if (size < 0 && errno == EAGAIN) {
        await(POLLIN);
      } else if (size == 0 || errno != EINTR) {
        break;
      }
    }
    return answer;
  }

 private:
  // Throws once the deadline has passed.
  int milliseconds_left() const {
    const auto left = std::chrono::duration<double, std::milli>(deadline_ - Clock::now()).count();
    if (left <= 0) {
      throw Error(ErrorKind::unavailable, path_, 0,
                  "tofa-healthd did not answer in time; tofa health export shows whether it did "
                  "what was asked");
    }
    return static_cast<int>(std::min(std::ceil(left), 1e6));
  }

  void await(short events) const {
    pollfd ready{socket_.get(), events, 0};
    (void)::poll(&ready, 1, milliseconds_left());
  }

  std::string path_;
  Clock::time_point deadline_;
  FileDescriptor socket_;
};

}  // namespace

std::string format_control_request(const ControlRequest& request) {
  nlohmann::ordered_json json{{"version", 1}, {"command", form_of(request.command).name}};
  if (request.command == ControlCommand::export_rows) {
    json["table"] = request.changes ? "changes" : "outages";
    json["after"] = request.after;
  } else if (request.command != ControlCommand::drain || !request.hosts.empty()) {
    json["hosts"] = request.hosts;
  }
  if (request.command == ControlCommand::event) {
    json["start"] = request.start;
    if (request.end) json["end"] = *request.end;
    json["cause"] = request.reason;
  }
  if (request.command == ControlCommand::exclude) {
    json["reason"] = request.reason;
    if (request.end) json["until"] = *request.end;
  }
  if (request.command == ControlCommand::include && !request.reason.empty()) {
    json["reason"] = request.reason;
  }
  if (request.command == ControlCommand::merge) {
    json["into"] = request.into;
    json["reason"] = request.reason;
  }
  if (request.command == ControlCommand::explain) json["horizon"] = request.horizon;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ControlRequest parse_control_request(std::string_view line) {
  return RequestParser(line).parse();
}

std::string format_control_error(const Error& error) {
  const char* name = "unavailable";
  for (const auto& [kind, known] : kErrorKinds) {
    if (kind == error.kind()) name = known;
  }
  const nlohmann::ordered_json json{{"version", 1}, {"error", error.what()}, {"kind", name}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ask_health_daemon(const std::string& socket, const ControlRequest& request,
                              double deadline_seconds) {
  std::string answer = Connection(socket, deadline_seconds).ask(format_control_request(request));
  throw_if_error(answer);
  return answer;
}

}  // namespace tofa
