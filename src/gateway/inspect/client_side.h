// What a client says on a connection whose host matters: its opening, with HTTP/1 every later request, and
// the ClientHello of TLS that begins later, for each may name another host. What goes in comes out once it
// has been judged, and not before.
//
//   ClientSide client;
//   client.Hear(chunk);                  // or HearServer, or End
//   while (client.Next() == ClientSide::State::kHead) judge client.Head();
//   kMore:    send client.Take() on
//   kBroken:  refuse: client.Problem()
//   client.Free(): nothing more has to be looked at.
//   client.WantsAnotherServer(): connect to the server again, then client.OnAnotherServer().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/inspect/hello_scan.h"
#include "gateway/inspect/host_line.h"
#include "gateway/inspect/http_body.h"
#include "gateway/inspect/protocol_sniffer.h"
#include "gateway/inspect/request_lines.h"

namespace mxc::egress {

class ClientSide {
 public:
  // kHosts: lines of a protocol that is not known ask for Hosts.
  enum class State { kMore, kHead, kHosts, kBroken };

  // `tolerant`: an opening that no protocol is known for is let pass, unless a server could find a name in
  // it.
  explicit ClientSide(bool tolerant) : tolerant_(tolerant) {}

  void Hear(ByteView chunk) { heard_.insert(heard_.end(), chunk.begin(), chunk.end()); }
  // The client says no more.
  void End() { ended_ = true; }
  // What the server says, from its first byte on, while WantsServer.
  void HearServer(ByteView bytes);
  [[nodiscard]] bool WantsServer() const {
    return HearsAnswer() || (phase_ != Phase::kFree && server_.size() < kServerBytes);
  }

  [[nodiscard]] State Next();
  [[nodiscard]] const ProtocolSniffer& Head() const { return head_; }
  [[nodiscard]] const std::vector<AskedHost>& Hosts() const { return hosts_; }
  [[nodiscard]] bool First() const { return heads_ <= 1; }  // is it the first thing said?
  [[nodiscard]] std::string_view Problem() const { return problem_; }
  [[nodiscard]] bool Free() const { return phase_ == Phase::kFree; }
  // Bytes that have been heard and may not go on yet.
  [[nodiscard]] bool Holds() const { return !heard_.empty(); }
  // It asks for a WebSocket, or whether to send a body, on a connection that has carried another request.
  // Where the answer to that one ends is not known, so no 101 or 100 could be told from bytes of its body:
  // the request needs a connection to the server on which it is the first. Nothing more passes until
  // OnAnotherServer.
  [[nodiscard]] bool WantsAnotherServer() const { return phase_ == Phase::kReconnect; }
  // What is passed from now on goes to a new connection, and HearServer hears its first bytes.
  void OnAnotherServer();
  // What may go on.
  [[nodiscard]] Bytes Take() { return std::exchange(passed_, {}); }

  // Bytes of a body that come next: they may be forwarded unseen. Tell by Skip.
  [[nodiscard]] std::uint64_t Unread() const;
  void Skip(std::uint64_t count);

 private:
  static constexpr std::size_t kServerBytes =
      64;  // a ServerHello up to the end of its random value, behind an alert

  enum class Phase {
    kFirstBytes,
    kJudged,     // Head is with the caller
    kBody,       // of an HTTP request
    kContinue,   // the server is to say whether it wants the body
    kReconnect,  // Head waits for another connection to the server
    kUpgrade,    // of HTTP to something else, which the server may decline
    kTunnel,     // of CONNECT, which a proxy may decline
    kRecords,    // of TLS, behind a ClientHello
    kAnswer,     // the server is to answer in the protocol of the opening
    kEncrypt,    // PostgreSQL: the server is to say whether TLS follows
    kLines,
    kMysql,
    kUnknown,  // of no protocol that is known, where that passes
    kUnheard,  // the same, behind its first line, until the server has said something
    kWatched,  // TLS may begin in it, and where no protocol is known, a request
    kFree,
  };
  // Of one step.
  enum class Step { kOn, kWait, kHead, kHosts, kBroken };

  [[nodiscard]] bool AwaitsServer() const;
  // The head of an answer is as long as it is: who awaits it bounds it.
  [[nodiscard]] bool HearsAnswer() const { return phase_ == Phase::kUpgrade || phase_ == Phase::kTunnel; }
  [[nodiscard]] Step Advance();
  [[nodiscard]] Step HearFirstBytes();
  [[nodiscard]] Step HearBody();
  [[nodiscard]] Step HearRecords();
  [[nodiscard]] Step HearLines();
  [[nodiscard]] Step HearMysql();
  [[nodiscard]] Step HearUnknown();
  [[nodiscard]] Step HearUnheard();
  [[nodiscard]] Step HearWatched();
  [[nodiscard]] ByteView BeforeHello();
  [[nodiscard]] Step Watch(ByteView text);
  [[nodiscard]] Step LeaveWatched();
  [[nodiscard]] Step AfterGreeting(Sequel sequel);
  [[nodiscard]] Step AwaitUpgrade();
  [[nodiscard]] Step AwaitTunnel();
  [[nodiscard]] Step AwaitContinue();
  [[nodiscard]] Step AwaitAnswer();
  [[nodiscard]] Step AwaitEncryption();
  Step Broken(std::string_view problem);
  Step Enter(Phase phase);
  Step Expect(ProtocolSniffer::Takes takes);  // another opening
  void EnterSequel(Sequel sequel);
  void Pass(std::size_t count);
  void LeaveJudged();

  bool tolerant_;
  bool ended_ = false;
  Phase phase_ = Phase::kFirstBytes;
  Bytes heard_ = {};     // and not passed
  Bytes passed_ = {};    // and not taken
  Bytes server_ = {};    // its first bytes
  bool spoken_ = false;  // something of the client's has been passed
  // What the server answers from here on cannot be told from what it said before: a greeting, or the body of
  // an answer that refused a CONNECT.
  bool blind_ = false;
  bool tunnel_ = false;  // a proxy has agreed to CONNECT: no other connection leads to the same server
  ProtocolSniffer head_ = ProtocolSniffer(ProtocolSniffer::Takes::kAll);
  std::size_t fed_ = 0;  // of heard_, to the head
  int heads_ = 0;
  int heads_here_ = 0;        // on this connection to the server
  bool hello_again_ = false;  // a ClientHello that follows another one
  bool early_data_ = false;
  std::uint64_t record_left_ = 0;  // of a TLS record that passes
  const KnownProtocol* protocol_ = nullptr;
  Bytes opening_ = {};          // of that protocol
  bool only_protocol_ = false;  // another opening of that protocol, and nothing else, follows
  std::size_t asked_ = 0;       // PostgreSQL: requests for encryption
  std::size_t in_line_ = 0;     // bytes of a line, but for those that servers pass over at its beginning
  bool tls_named_ = false;
  std::uint32_t letters_ = 0;  // the last three bytes of a line, folded
  std::string unknown_ = {};   // the last bytes of the first line of what is unknown
  std::size_t unknown_size_ = 0;
  HostLine host_line_ = {};     // of what is unknown
  bool ended_in_half_ = false;  // there was a lone LF in it
  bool unrecognised_ = false;   // nothing says which protocol this is
  RequestLines request_lines_ = {};
  std::vector<AskedHost> hosts_ = {};
  HelloScan hello_scan_ = {};
  std::optional<HelloStart> hello_ = {};     // has been found in heard_
  std::optional<std::size_t> watched_ = {};  // of heard_; passes next
  std::optional<Phase> behind_hello_ = {};   // what goes on behind one that was found
  std::size_t ahead_ = 0;                    // of heard_, has been passed
  std::optional<HttpBody> body_ = {};
  std::string_view problem_ = {};
};

}  // namespace mxc::egress
