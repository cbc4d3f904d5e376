// The first bytes a client sends: a TLS ClientHello, an HTTP/1 request, or the opening of a protocol that
// knows no virtual hosts (protocols.h). Nothing else is taken for anything.
//
//   ProtocolSniffer sniffer;
//   for (each chunk the client sends) {
//     switch (sniffer.Feed(chunk)) {
//       case ProtocolSniffer::State::kMore:     keep the chunk; no server gets part of a head
//       case ProtocolSniffer::State::kDone:     judge sniffer.Hosts(), then forward sniffer.Size() bytes
//       case ProtocolSniffer::State::kBroken:   refuse: sniffer.Problem()
//       case ProtocolSniffer::State::kUnknown:  the same, but where bytes that name no host to us may pass
//
// One spelling of each thing is taken. What a server could read in another way than this is broken, and so is
// what some server passes over before it reads on: blanks, records of TLS that hold no handshake, a header of
// the PROXY protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/inspect/protocols.h"
#include "gateway/net/bytes.h"

namespace mxc::egress {

// Larger than what servers accept: 16 KiB of TLS record, 8 to 32 KiB of HTTP head.
inline constexpr std::size_t kMaxFirstBytes = 65536;

// How an HTTP request says where its body ends.
struct BodyFrame {
  bool chunked = false;
  std::uint64_t length = 0;
};

// What a complete head says; `problem` is empty when it is well-formed.
struct HeadNames {
  // SNI; Host and the authority of an absolute target. Names in the one form of ValidName; a Host may also be
  // an address, as IpAddress::Text writes it.
  std::vector<std::string> hosts = {};
  // The port these hosts are asked for at, where the target of a request says it (CONNECT, absolute): a proxy
  // would dial it. 0: that of the connection; a port behind Host is only text.
  std::uint16_t port = 0;
  bool connects = false;         // CONNECT
  bool websocket = false;        // it is a whole opening handshake of that (RFC 6455, 4.1)
  bool awaits_continue = false;  // a body follows if the server wants it (RFC 9110, 10.1.1)
  bool encrypted = false;        // the ClientHello may hide another one for another host
  bool early_data = false;       // the ClientHello announces data before the server's answer
  std::string_view problem = {};
  BodyFrame body = {};
};

// Bytes before a request or a ClientHello that some server passes over: blanks, ends of lines, NUL.
[[nodiscard]] bool PassedOver(std::uint8_t byte);
// Of a record of TLS: the types that IANA has assigned. No text and no blank begins so.
[[nodiscard]] constexpr bool IsRecordType(std::uint8_t byte) { return byte >= 20 && byte <= 27; }
// Does it say "HTTP/", in whatever letters?
[[nodiscard]] bool NamesHttp(std::string_view text);
// Could some server find a request in it?
[[nodiscard]] bool ResemblesRequest(std::string_view text);
// A request of HTTP/0.9, or of a version that some servers take for one of HTTP/1 (RTSP, ICE). They read the
// lines behind it, Host among them. Python's server looks for "GET" alone. The line may be incomplete.
[[nodiscard]] bool BeginsRequest(std::string_view line);

class ProtocolSniffer {
 public:
  enum class State { kMore, kDone, kBroken, kUnknown };
  enum class Kind { kOther, kTls, kHttp };
  // kHello: nothing but a ClientHello.
  enum class Takes { kAll, kHello };

  explicit ProtocolSniffer(Takes takes = Takes::kAll) : takes_(takes) {}

  State Feed(ByteView chunk);

  [[nodiscard]] Kind Is() const { return kind_; }
  [[nodiscard]] bool OnlyHello() const { return takes_ == Takes::kHello; }
  [[nodiscard]] const HeadNames& Head() const { return names_; }
  [[nodiscard]] const std::vector<std::string>& Hosts() const { return names_.hosts; }
  [[nodiscard]] std::uint16_t Port() const { return names_.port; }
  [[nodiscard]] bool Connects() const { return names_.connects; }
  // Of kOther.
  [[nodiscard]] const ClientProtocol& Protocol() const { return protocol_; }
  [[nodiscard]] std::string_view Problem() const { return problem_; }
  // Of what is kDone: bytes from the first that was fed to the end of the head.
  [[nodiscard]] std::size_t Size() const { return size_; }
  [[nodiscard]] const BodyFrame& Body() const { return names_.body; }

 private:
  State Look();
  State LookAtTls();
  State LookAtOther(Match other);
  State LookAtHead(std::size_t begin);
  State Broken(std::string_view problem);
  State Unknown();
  State Done(Kind kind, std::size_t size);

  Takes takes_;
  Bytes seen_ = {};
  std::size_t wanted_ = 0;   // nothing new can be said before so many bytes are there
  std::size_t scanned_ = 0;  // no end of a head before this
  Kind kind_ = Kind::kOther;
  HeadNames names_ = {};
  ClientProtocol protocol_ = {};
  std::string_view problem_ = {};
  std::size_t size_ = 0;
};

// A ClientHello without its record and handshake headers.
[[nodiscard]] HeadNames ReadClientHello(ByteView hello);
// From the request line to the empty line, both included.
[[nodiscard]] HeadNames ReadHttpHead(std::string_view head);
// What a server has said so far: does it agree to a WebSocket (RFC 6455, 4.2.2)? Sec-WebSocket-Accept is not
// computed from the key: it has to be there, and as long as it is.
[[nodiscard]] Match AgreesToWebSocket(std::string_view answer);

}  // namespace mxc::egress
