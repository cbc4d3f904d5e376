// Recognises the first bytes a client sends: a TLS ClientHello, an HTTP/1 request, or the opening of a
// protocol without virtual hosts (protocols.h). Everything else is unknown or broken.
//
//   ProtocolSniffer sniffer;
//   for (each chunk the client sends) {
//     switch (sniffer.Feed(chunk)) {
//       case ProtocolSniffer::State::kMore:     keep the chunk; no server gets part of a head
//       case ProtocolSniffer::State::kDone:     judge sniffer.Hosts(), then forward sniffer.Size() bytes
//       case ProtocolSniffer::State::kBroken:   refuse: sniffer.Problem()
//       case ProtocolSniffer::State::kUnknown:  the same, but where bytes that name no host to us may pass
//
// Accepts one spelling only. Bytes that a server could read in another way are broken, and so are bytes that
// some server skips: blanks, TLS records that hold no handshake, a header of the PROXY protocol.
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

// Problems that several readers find.
inline constexpr std::string_view kMalformedTls = "its TLS is malformed";
inline constexpr std::string_view kMalformedRequest = "its HTTP request is malformed";

// The end of an HTTP request's body.
struct BodyFrame {
  bool chunked = false;
  std::uint64_t length = 0;
};

// The contents of a complete head; `problem` is empty if it is well-formed.
struct HeadNames {
  // SNI; Host and the authority of an absolute target. Names are normalised by ValidName; a Host may also be
  // an address, as IpAddress::Text writes it.
  std::vector<std::string> hosts = {};
  // The port in the target of a request (CONNECT, absolute), which a proxy would dial. 0: the connection's; a
  // port in Host is ignored.
  std::uint16_t port = 0;
  bool connects = false;         // CONNECT
  bool websocket = false;        // a complete WebSocket handshake (RFC 6455, 4.1)
  bool awaits_continue = false;  // a body follows if the server wants it (RFC 9110, 10.1.1)
  bool encrypted = false;        // the ClientHello may contain an encrypted one for another host (ECH)
  bool early_data = false;       // the ClientHello announces data before the server's answer
  std::string_view problem = {};
  BodyFrame body = {};
};

// Whether some server skips this byte before a request or a ClientHello: blanks, ends of lines, NUL.
[[nodiscard]] bool PassedOver(std::uint8_t byte);
// Whether it is a type of TLS record that IANA has assigned. No text and no blank begins with such a byte.
[[nodiscard]] constexpr bool IsRecordType(std::uint8_t byte) { return byte >= 20 && byte <= 27; }
// Whether the line contains `word`, which is in lower case, in whatever case.
[[nodiscard]] bool Mentions(std::string_view line, std::string_view word);
// Whether it contains "HTTP/", in whatever case.
[[nodiscard]] bool NamesHttp(std::string_view text);
// Whether some server could find a request in it.
[[nodiscard]] bool ResemblesRequest(std::string_view text);
// Whether the line, which may be incomplete, is a request of HTTP/0.9, or of a version that some servers take
// for HTTP/1 (RTSP, ICE): they read the lines behind it, including Host. Python's server looks for "GET"
// alone.
[[nodiscard]] bool BeginsRequest(std::string_view line);

class ProtocolSniffer {
 public:
  enum class State { kMore, kDone, kBroken, kUnknown };
  enum class Kind { kOther, kTls, kHttp };
  // kHello: accepts only a ClientHello.
  enum class Takes { kAll, kHello };

  explicit ProtocolSniffer(Takes takes = Takes::kAll) : takes_(takes) {}

  State Feed(ByteView chunk);

  [[nodiscard]] Kind Is() const { return kind_; }
  [[nodiscard]] bool OnlyHello() const { return takes_ == Takes::kHello; }
  [[nodiscard]] const HeadNames& Head() const { return names_; }
  [[nodiscard]] const std::vector<std::string>& Hosts() const { return names_.hosts; }
  [[nodiscard]] std::uint16_t Port() const { return names_.port; }
  [[nodiscard]] bool Connects() const { return names_.connects; }
  // For kOther.
  [[nodiscard]] const ClientProtocol& Protocol() const { return protocol_; }
  [[nodiscard]] std::string_view Problem() const { return problem_; }
  // After kDone: number of bytes from the first one fed to the end of the head.
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
  std::size_t wanted_ = 0;   // needs so many bytes for the next decision
  std::size_t scanned_ = 0;  // the head does not end before this offset
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
// Whether the server's answer so far accepts a WebSocket (RFC 6455, 4.2.2). Sec-WebSocket-Accept is not
// compared with the key: it must be there and have the right length.
[[nodiscard]] Match AgreesToWebSocket(std::string_view answer);
// Whether the head of a server's answer says where its body ends, or is malformed.
[[nodiscard]] bool AnnouncesBody(std::string_view head);

}  // namespace mxc::egress
