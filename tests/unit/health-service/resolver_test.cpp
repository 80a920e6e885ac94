// SPDX-License-Identifier: BSD-3-Clause
// A name server that hangs holds nothing up, and what it says later counts.
#include "healthd/resolver.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace tofa::health::resolver_test {
namespace {

using Seconds = ResolverOptions::Seconds;

constexpr Seconds kNever{1e6};

// Names and addresses that tests change, shared with lookups that outlive a test.
class NameServer {
 public:
  void set(const std::string& name, const std::string& address) {
    const std::lock_guard lock(mutex_);
    known_[name] = address;
  }
  void forget(const std::string& name) {
    const std::lock_guard lock(mutex_);
    known_.erase(name);
  }
  std::optional<SocketAddress> look_up(const HostPort& address) {
    if (address.host == "slow") until_.wait();
    ++lookups;
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(address.host);
    if (found == known_.end()) return std::nullopt;
    return numeric_address({found->second, address.port});
  }
  void wake() { waiting_.set_value(); }

  std::atomic<int> lookups = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> known_;
  std::promise<void> waiting_;
  std::shared_future<void> until_{waiting_.get_future()};
};

struct Names {
  std::shared_ptr<NameServer> server = std::make_shared<NameServer>();

  Resolver resolver(const std::vector<std::string>& names, Seconds patience, Seconds retry = kNever,
                    Seconds renew = kNever) const {
    std::vector<HostConfig> hosts;
    for (const std::string& name : names) hosts.push_back({name, {name, 7411}});
    ResolverOptions options;
    options.lookup = [kept = server](const HostPort& address) { return kept->look_up(address); };
    options.patience = patience;
    options.retry = retry;
    options.renew = renew;
    return Resolver(hosts, options);
  }
};

std::string text(const std::optional<SocketAddress>& address) {
  return address ? to_string(*address) : "none";
}

// Asks until the address of the first host is this one.
bool comes_to(Resolver& resolver, const std::string& expected) {
  for (int i = 0; i < 3000; ++i) {
    if (text(resolver.addresses()[0]) == expected) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Resolver, HasAllNamesWhenTheServerAnswers) {
  const Names names;
  names.server->set("a", "10.0.0.1");
  Resolver resolver = names.resolver({"a", "unknown"}, kNever);
  EXPECT_EQ(text(resolver.addresses()[0]), "10.0.0.1:7411");
  EXPECT_EQ(text(resolver.addresses()[1]), "none");
}

TEST(Resolver, WaitsForNobodyForLongAndTakesWhatComesLater) {
  const Names names;
  names.server->set("slow", "10.0.0.1");
  names.server->set("10.0.0.2", "10.0.0.2");
  Resolver resolver = names.resolver({"slow", "10.0.0.2"}, Seconds(0.2));
  EXPECT_EQ(text(resolver.addresses()[0]), "none");
  EXPECT_EQ(text(resolver.addresses()[1]), "10.0.0.2:7411") << "needs no name server";
  names.server->wake();
  EXPECT_TRUE(comes_to(resolver, "10.0.0.1:7411"));
}

TEST(Resolver, MayGoWhileALookupHangs) {
  const Names names;
  { Resolver resolver = names.resolver({"slow"}, Seconds(0)); }
  EXPECT_EQ(names.server->lookups, 0) << "it still hangs";
  names.server->wake();
}

TEST(Resolver, TriesAgainWhatWasNotFoundAndNothingElse) {
  const Names names;
  names.server->set("known", "10.0.0.9");
  Resolver resolver = names.resolver({"late", "known"}, kNever, Seconds(0));
  EXPECT_EQ(text(resolver.addresses()[0]), "none");
  names.server->set("late", "10.0.0.1");
  names.server->set("known", "10.0.0.8");
  EXPECT_TRUE(comes_to(resolver, "10.0.0.1:7411"));
  EXPECT_EQ(text(resolver.addresses()[1]), "10.0.0.9:7411");
}

TEST(Resolver, LooksAllUpAgainAndKeepsWhatTheServerHasLost) {
  const Names names;
  names.server->set("moves", "10.0.0.1");
  names.server->set("lost", "10.0.0.2");
  Resolver resolver = names.resolver({"moves", "lost"}, kNever, kNever, Seconds(0));
  names.server->forget("lost");
  names.server->set("moves", "10.0.0.3");
  EXPECT_TRUE(comes_to(resolver, "10.0.0.3:7411"));
  const int before = names.server->lookups;
  for (int i = 0; i < 3000 && names.server->lookups < before + 4; ++i) {
    (void)resolver.addresses();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GE(names.server->lookups, before + 4);
  EXPECT_EQ(text(resolver.addresses()[1]), "10.0.0.2:7411");
}

}  // namespace
}  // namespace tofa::health::resolver_test
