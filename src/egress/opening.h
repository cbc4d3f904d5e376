// The first bytes a client sends, as far as they name a host: a TLS ClientHello or an HTTP/1 request.
//
//   Opening opening;
//   for (each chunk the client sends) {
//     switch (opening.Feed(chunk)) {
//       case Opening::State::kMore:    forward the chunk: a server can do nothing with part of a head
//       case Opening::State::kDone:    judge opening.Hosts(), then forward the chunk and whatever follows
//       case Opening::State::kBroken:  refuse: opening.Problem(). The chunk was not forwarded
//
// Every byte a head consists of has been looked at before its last one is forwarded. Protocols that are
// neither are kDone with their first byte that cannot be of either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egress/dns_message.h"

namespace mxc::egress {

// Larger than what servers accept: 16 KiB of TLS record, 8 to 32 KiB of HTTP head.
inline constexpr std::size_t kMaxOpeningBytes = 65536;

// How an HTTP request says where its body ends.
struct BodyFrame {
  bool chunked = false;
  std::uint64_t length = 0;
};

class Opening {
 public:
  enum class State { kMore, kDone, kBroken };
  enum class Kind { kOther, kTls, kHttp };
  // kLater: after a request of the same connection, where nobody begins with SSL 2 and a frame of something
  // else may look like it.
  enum class When { kFirst, kLater };

  explicit Opening(When when = When::kFirst) : when_(when) {}

  State Feed(ByteView chunk);

  [[nodiscard]] Kind Is() const { return kind_; }
  // Hosts the head gives: SNI; Host and the authority of an absolute target. Names in the one form of
  // ValidName; a Host may also be an address, as IpAddress::Text writes it. A head that gives none is a
  // ClientHello without SNI or an HTTP/1.0 request.
  [[nodiscard]] const std::vector<std::string>& Hosts() const { return hosts_; }
  // The port these hosts are asked for at, where the target of a request says it (CONNECT, absolute): a proxy
  // would dial it. 0: that of the connection; a port behind Host is only text.
  [[nodiscard]] std::uint16_t Port() const { return port_; }
  // Does the request ask for a tunnel?
  [[nodiscard]] bool Connects() const { return connects_; }
  // The ClientHello may hide another one for another host.
  [[nodiscard]] bool Encrypted() const { return encrypted_; }
  [[nodiscard]] std::string_view Problem() const { return problem_; }
  // Of an HTTP request that is kDone: bytes from the first that was fed to the end of the head, and what
  // follows it.
  [[nodiscard]] std::size_t Size() const { return size_; }
  [[nodiscard]] const BodyFrame& Body() const { return body_; }

 private:
  State Look();
  State LookAtTls();
  State LookAtHttp();
  State Broken(std::string_view problem);

  When when_;
  Bytes seen_ = {};
  std::size_t wanted_ = 0;   // nothing new can be said before so many bytes are there
  std::size_t scanned_ = 0;  // no end of a head before this
  Kind kind_ = Kind::kOther;
  std::vector<std::string> hosts_ = {};
  std::uint16_t port_ = 0;
  bool connects_ = false;
  bool encrypted_ = false;
  std::string_view problem_ = {};
  std::size_t size_ = 0;
  BodyFrame body_ = {};
};

// What a complete head says; `problem` is empty when it is well-formed.
struct HeadNames {
  std::vector<std::string> hosts = {};
  std::uint16_t port = 0;  // of the target of a request, if it has one
  bool connects = false;   // CONNECT
  bool encrypted = false;
  std::string_view problem = {};
  BodyFrame body = {};
};

// A ClientHello without its record and handshake headers.
[[nodiscard]] HeadNames ReadClientHello(ByteView hello);
// From the request line to the empty line, both included.
[[nodiscard]] HeadNames ReadHttpHead(std::string_view head);

}  // namespace mxc::egress
