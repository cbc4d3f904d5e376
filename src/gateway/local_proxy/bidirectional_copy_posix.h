// Copies bytes between two sockets until both have ended, in a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gateway/net/packet.h"

namespace mxc::egress {

// What to forward to the server. `problem`: nothing, and the connection ends. `last`: bytes behind `bytes`
// are not for this server.
struct Passed {
  Bytes bytes = {};
  bool last = false;
  std::string problem = {};
};

class BidirectionalCopy {
 public:
  // Borrowed, non-blocking sockets. `pass` judges the client's bytes.
  BidirectionalCopy(int client, int server, std::function<Passed(ByteView)> pass)
      : up_{.from = client, .to = server}, down_{.from = server, .to = client}, pass_(std::move(pass)) {}

  // `answer` gets the server's bytes, which are forwarded to the client in any case.
  void OnAnswer(std::function<Passed(ByteView)> answer) { answer_ = std::move(answer); }
  // Sends `text` to the server first, without judging it.
  void Begin(std::string_view text) { up_.held.assign(text.begin(), text.end()); }
  // Handles `bytes` like bytes from the client. Returns "" or why the connection ends.
  [[nodiscard]] std::string Hear(ByteView bytes);
  // Copies until both have ended, both were silent for too long, or `pass` returned a problem, which it
  // returns.
  [[nodiscard]] std::string Run();

  // Whether `pass` has returned a problem.
  [[nodiscard]] bool Refused() const { return refused_; }
  [[nodiscard]] std::uint64_t BytesUp() const { return up_.bytes; }
  [[nodiscard]] std::uint64_t BytesDown() const { return down_.bytes; }

 private:
  struct Way {
    int from = -1;
    int to = -1;
    Bytes held = {};
    bool ended = false;  // `from` has ended
    bool done = false;   // `to` was shut down, or need not be
    std::uint64_t bytes = 0;
    [[nodiscard]] bool Reads() const { return !ended && held.empty(); }
    [[nodiscard]] bool Writes() const { return !held.empty() || (ended && !done); }
  };
  [[nodiscard]] std::string Read(Way& way);
  [[nodiscard]] std::string PassOn(Passed passed);
  [[nodiscard]] bool Write(Way& way) const;
  [[nodiscard]] std::string Carry(Way& way, bool readable, bool writable);

  Way up_;
  Way down_;
  std::function<Passed(ByteView)> pass_;
  std::function<Passed(ByteView)> answer_ = {};
  bool refused_ = false;
  bool last_ = false;
};

}  // namespace mxc::egress
