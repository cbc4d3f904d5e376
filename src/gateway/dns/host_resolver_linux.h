// Resolves names as the host does: its hosts file, then the name servers of its resolv.conf. The C library's
// resolver would block the loop and load modules into this process, and a static program has none.
//
//   resolver.Resolve("api.example.com", denies, [](const Resolution& r) { ... });
//   // never called before it returns
//
// Answers are cached for their TTL, at most a minute.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/dns/resolver_files.h"
#include "gateway/net/loop_linux.h"
#include "gateway/rules/hosts_names.h"
#include "gateway/rules/resolv_conf.h"

namespace mxc::egress {

struct Resolution {
  std::vector<IpAddress> addresses = {};  // IPv6 before IPv4, each in the order received
  std::string_view problem = {};          // why there are none
  std::string denied = {};                // the form of the name that was not asked for, if it came to that
};

// A small file that is read again when it was replaced. If it can no longer be read, the last text stays.
class WatchedFile {
 public:
  explicit WatchedFile(const char* path) : path_(path) {}
  const std::string& Text();
  // Says which of its texts that was.
  [[nodiscard]] std::uint64_t Stamp() const { return stamp_; }

 private:
  const char* path_;
  std::string text_ = {};
  std::uint64_t stamp_ = 0;
};

class Lookup;

class HostResolver {
 public:
  using Callback = std::function<void(const Resolution&)>;
  // Whether the name may not be asked for.
  using Denies = std::function<bool(const std::string& name)>;

  // `limit`: names that are resolved at a time.
  HostResolver(Loop& loop, const ResolverFiles& files, std::size_t limit)
      : loop_(loop), limit_(limit), resolv_conf_(files.resolv_conf), hosts_(files.hosts) {}
  HostResolver(const HostResolver&) = delete;
  HostResolver& operator=(const HostResolver&) = delete;
  ~HostResolver();

  // `name` has been judged; `denies` judges its forms in the search domains. The search ends at a denied one.
  void Resolve(const std::string& name, const Denies& denies, Callback callback);
  // As they are in this turn of the loop, until the next call: a connection may name thousands of hosts.
  [[nodiscard]] ResolverTexts Texts();

 private:
  friend class Lookup;
  struct Known {
    Resolution resolution = {};
    std::uint64_t until_ms = 0;
  };
  void Finish(const std::string& key, const Resolution& resolution, std::uint64_t keep_ms);

  Loop& loop_;
  std::size_t limit_;
  WatchedFile resolv_conf_;
  WatchedFile hosts_;
  std::optional<std::uint64_t> read_in_ = {};  // Loop::Turns
  std::uint64_t hosts_stamp_ = 0;              // of what was read
  HostsFile read_hosts_ = {};
  ResolvConf read_conf_ = {};
  // By the name and the form at which its search ends.
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, std::shared_ptr<Lookup>> running_;
};

}  // namespace mxc::egress
