// One question to the host's name servers, over UDP, and over TCP if the answer is truncated.
#pragma once

#include <functional>
#include <string>

#include "gateway/dns/dns_message.h"
#include "gateway/net/loop_linux.h"
#include "gateway/rules/resolv_conf.h"

namespace mxc::egress {

class Question : public Watcher {
 public:
  // Absent: no server answered.
  using Callback = std::function<void(const std::optional<DnsResponse>&)>;

  Question(Loop& loop, ResolvConf conf, std::string name, std::uint16_t type, Callback callback)
      : loop_(loop),
        conf_(std::move(conf)),
        name_(std::move(name)),
        type_(type),
        callback_(std::move(callback)) {}

  void Ask();
  void Cancel();  // the callback is not called any more
  void OnEvents(std::uint32_t events) override;

 private:
  [[nodiscard]] bool Open(int type);
  void Send();
  void Next();
  void ReadUdp();
  void ReadTcp();
  void Take(ByteView message);
  void Done(const std::optional<DnsResponse>& response);

  Loop& loop_;
  ResolvConf conf_;
  std::string name_;
  std::uint16_t type_;
  Callback callback_;
  UniqueFd socket_;
  Timer timer_;
  Bytes unsent_ = {};    // over TCP
  Bytes received_ = {};  // over TCP
  std::size_t tries_ = 0;
  std::uint16_t id_ = 0;
  bool tcp_ = false;
};

}  // namespace mxc::egress
