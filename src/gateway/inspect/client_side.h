// Parses what a client sends on a connection whose host matters: its opening, with HTTP/1 every later
// request, and the ClientHello of TLS that begins later, because each may name another host. Bytes come out
// only after they have been judged.
//
//   ClientSide client;
//   client.Hear(chunk);                  // or HearServer, or End
//   while (client.Next() == ClientSide::State::kHead) judge client.Head();
//   kMore:    forward client.Take()
//   kBroken:  refuse: client.Problem()
//   client.Free(): nothing more has to be judged.
//   client.WantsAnotherServer(): connect to the server again, then client.OnAnotherServer().
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "gateway/inspect/hello_scan.h"
#include "gateway/inspect/hidden_lines.h"
#include "gateway/inspect/host_commands.h"
#include "gateway/inspect/host_line.h"
#include "gateway/inspect/http_body.h"
#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/inspect/request_lines.h"
#include "gateway/inspect/start_tls_lines.h"
#include "gateway/inspect/unknown_opening.h"
#include "gateway/net/byte_queue.h"

namespace mxc::egress {

class ClientSide {
 public:
  // kHosts: lines of an unknown protocol ask for Hosts.
  enum class State { kMore, kHead, kHosts, kBroken };

  // `tolerant`: passes an unknown opening, unless a server could find a host name in it.
  explicit ClientSide(bool tolerant) : tolerant_(tolerant) {}

  void Hear(ByteView chunk) { received_.Append(chunk); }
  // The client has closed its direction.
  void End() { ended_ = true; }
  // To be called with the server's bytes, from the first one on, while WantsServer.
  void HearServer(ByteView bytes);
  [[nodiscard]] bool WantsServer() const {
    return HearsAnswer() || (phase_ != Phase::kFree && server_.size() < kServerBytes);
  }

  [[nodiscard]] State Next();
  [[nodiscard]] const ProtocolSniffer& Head() const { return head_; }
  [[nodiscard]] const std::vector<AskedHost>& Hosts() const { return hosts_; }
  [[nodiscard]] bool First() const { return heads_ <= 1; }  // Head is the first of the connection
  // The port at the other end of the tunnel that a proxy has opened; 0: none has.
  [[nodiscard]] std::uint16_t TunnelPort() const { return tunnel_port_; }
  [[nodiscard]] std::string_view Problem() const { return problem_; }
  [[nodiscard]] bool Free() const { return phase_ == Phase::kFree; }
  // Whether it holds bytes that may not be forwarded yet.
  [[nodiscard]] bool Holds() const { return !received_.empty(); }
  // It holds as much as it may, for as long as the server's answer is not there: let the kernel keep the
  // rest.
  [[nodiscard]] bool IsFull() const {
    const bool waits = AwaitsServer() || phase_ == Phase::kUpgrade || phase_ == Phase::kRecords;
    return waits && received_.size() >= kMaxFirstBytes;
  }
  // The client asks for a WebSocket, a tunnel or 100 (Continue) on a connection that has carried another
  // request. The end of the answer to that one is not known, so a 101, 200 or 100 could be part of its body:
  // the request needs a new connection to the server. Nothing more passes until OnAnotherServer.
  [[nodiscard]] bool WantsAnotherServer() const { return phase_ == Phase::kReconnect; }
  // From now on bytes are forwarded to a new connection, and HearServer gets that one's bytes.
  void OnAnotherServer();
  // The bytes that may be forwarded.
  [[nodiscard]] Bytes Take() { return std::exchange(passed_, {}); }

  // Number of body bytes that come next and may be forwarded unseen; Skip them.
  [[nodiscard]] std::uint64_t Unread() const;
  void Skip(std::uint64_t count);

 private:
  // Enough for an alert and a ServerHello up to the end of its random value.
  static constexpr std::size_t kServerBytes = 64;

  enum class Phase {
    kFirstBytes,
    kJudged,     // the caller judges Head
    kBody,       // the body of an HTTP request
    kContinue,   // waits for the server's answer whether it wants the body
    kReconnect,  // waits for another connection to the server
    kUpgrade,    // waits for the server's answer to an HTTP upgrade
    kTunnel,     // waits for a proxy's answer to CONNECT
    kRecords,    // TLS records behind a ClientHello
    kAnswer,     // waits for the server's answer in the protocol of the opening
    kEncrypt,    // PostgreSQL: waits for the server's answer whether TLS follows
    kLines,
    kMysql,
    kUnknown,  // an unknown protocol, if tolerant
    kUnheard,  // the same, behind its first line, until the server has sent something
    kWatched,  // TLS may begin; in an unknown protocol, also a request
    kFree,
  };
  // The result of one step.
  enum class Step { kOn, kWait, kHead, kHosts, kBroken };

  [[nodiscard]] bool AwaitsServer() const;
  // Waits for the head of an answer, which has no fixed size: AwaitUpgrade and AwaitTunnel bound it.
  [[nodiscard]] bool HearsAnswer() const { return phase_ == Phase::kUpgrade || phase_ == Phase::kTunnel; }
  [[nodiscard]] Step Advance();
  [[nodiscard]] Step HearFirstBytes();
  [[nodiscard]] Step LeaveJudged();
  [[nodiscard]] Step HearBody();
  [[nodiscard]] Step HearRecords();
  [[nodiscard]] Step HearLines();
  [[nodiscard]] Step HearMysql();
  [[nodiscard]] Step HearUnknown();
  [[nodiscard]] Step HearUnheard();
  [[nodiscard]] Step HearWatched();
  [[nodiscard]] ByteView BeforeHello();
  [[nodiscard]] Step Watch(ByteView text);
  [[nodiscard]] Step WatchHosts(ByteView text);
  [[nodiscard]] Step WatchUnheard(ByteView text);
  [[nodiscard]] Step LeaveWatched();
  [[nodiscard]] Step AfterGreeting(Sequel sequel);
  [[nodiscard]] Step AwaitUpgrade();
  [[nodiscard]] Step AwaitTunnel();
  [[nodiscard]] Step AwaitContinue();
  [[nodiscard]] Step AwaitAnswer();
  [[nodiscard]] Step AwaitEncryption();
  Step Broken(std::string_view problem);
  Step Enter(Phase phase);
  Step Expect(ProtocolSniffer::Takes takes);  // waits for another opening
  void EnterSequel(Sequel sequel);
  void Pass(std::size_t count);
  void LeaveHello();

  bool tolerant_;
  bool ended_ = false;
  Phase phase_ = Phase::kFirstBytes;
  ByteQueue received_ = {};  // received, not judged
  Bytes passed_ = {};        // judged, not taken
  Bytes server_ = {};        // the server's first bytes, or those behind a ClientHello
  bool spoken_ = false;      // some of the client's bytes were passed
  // The server's next answer cannot be told from its earlier bytes: a greeting, or the body of an answer that
  // refused a CONNECT.
  bool blind_ = false;
  bool of_http_ = false;   // the client opened with a request: the server's first bytes are an answer to it
  bool requests_ = false;  // this server got another request than CONNECT
  std::uint16_t tunnel_port_ = 0;  // in a tunnel a new connection would not lead to the same server
  ProtocolSniffer head_ = ProtocolSniffer(ProtocolSniffer::Takes::kAll);
  std::size_t fed_ = 0;  // bytes of received_ that head_ has seen
  int heads_ = 0;
  int heads_here_ = 0;        // on this connection to the server
  bool hello_again_ = false;  // a second ClientHello may follow
  bool early_data_ = false;
  std::uint64_t record_left_ = 0;  // bytes left of a TLS record that passes
  const KnownProtocol* protocol_ = nullptr;
  Bytes opening_ = {};          // the client's, in protocol_
  bool only_protocol_ = false;  // only another opening of protocol_ may follow
  std::size_t asked_ = 0;       // PostgreSQL: requests for encryption
  StartTlsLines lines_ = {};
  bool of_files_ = false;  // the server may be one of FTP
  HostCommands host_commands_ = {};
  std::vector<AskedHost> early_hosts_ = {};  // of commands before the server has sent something
  bool early_known_ = true;
  HiddenLines hidden_lines_ = {};
  bool unrecognised_ = false;    // the protocol is unknown
  UnknownOpening unknown_ = {};  // its first line
  HostLine host_line_ = {};
  RequestLines request_lines_ = {};
  std::vector<AskedHost> hosts_ = {};
  HelloScan hello_scan_ = {};
  std::optional<HelloStart> hello_ = {};     // found in received_
  std::optional<std::size_t> watched_ = {};  // bytes of received_ that pass next
  std::optional<Phase> behind_hello_ = {};   // the phase behind a ClientHello that was found
  std::size_t ahead_ = 0;                    // bytes of received_ that were passed already
  std::optional<HttpBody> body_ = {};
  std::string_view problem_ = {};
};

}  // namespace mxc::egress
