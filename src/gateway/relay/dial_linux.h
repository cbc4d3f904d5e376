// Connects to the first of several addresses that answers (RFC 8305, "happy eyeballs"), in their order: the
// next one 250 ms after the one before, or as soon as that has failed.
//
//   Dial dial(loop, endpoints, [this](Dialled result) { ... });   // never called before Start returns
//   dial.Start();
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "gateway/net/loop_linux.h"
#include "gateway/rules/address.h"

namespace mxc::egress {

struct Dialled {
  UniqueFd socket = {};      // connected and watched by a watcher that is gone: Loop::Rewatch. Or invalid:
  IpEndpoint endpoint = {};  // of the socket, or of the error
  int error = 0;
};

class Dial {
 public:
  using Callback = std::function<void(Dialled)>;

  // The endpoints have been judged; exactly these are dialled.
  Dial(Loop& loop, const std::vector<IpEndpoint>& endpoints, Callback callback);
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;
  ~Dial();

  void Start();

 private:
  class Attempt;
  void Next();
  void OnResult(Attempt& attempt, int error);
  void Finish(Dialled result);

  Loop& loop_;
  std::vector<IpEndpoint> endpoints_;
  Callback callback_;
  std::size_t next_ = 0;
  std::vector<std::shared_ptr<Attempt>> attempts_ = {};
  std::size_t failed_ = 0;
  Dialled last_failed_ = {};
  Timer stagger_;
  Timer patience_;
};

// IPv6 and IPv4 in turn, IPv6 first; the order within a family stays.
[[nodiscard]] std::vector<IpEndpoint> InterleaveFamilies(const std::vector<IpEndpoint>& endpoints);

}  // namespace mxc::egress
