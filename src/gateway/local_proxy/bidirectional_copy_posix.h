// Carries bytes between two sockets until both have said all, in a thread that has nothing else to do.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gateway/net/packet.h"

namespace mxc::egress {

// What goes on to the server after something was heard. `problem`: nothing, and the connection ends. `last`:
// nothing behind `bytes` is for this server.
struct Passed {
  Bytes bytes = {};
  bool last = false;
  std::string problem = {};
};

class BidirectionalCopy {
 public:
  // Borrowed sockets, which do not block. `pass` judges what the client says; what is in `early` already has
  // been heard from it and not judged.
  BidirectionalCopy(int client, int server, std::function<Passed(ByteView)> pass)
      : up_{.from = client, .to = server}, down_{.from = server, .to = client}, pass_(std::move(pass)) {}

  // Judges what the server says, which goes on to the client in any case.
  void OnAnswer(std::function<Passed(ByteView)> answer) { answer_ = std::move(answer); }
  // Goes to the server before anything else, as it is.
  void Begin(std::string_view text) { up_.held.assign(text.begin(), text.end()); }
  // As if the client had just said it. Empty, or why the connection ends.
  [[nodiscard]] std::string Hear(ByteView bytes);
  // Until both have ended; nobody says anything for too long; or `pass` has a problem, which is returned.
  [[nodiscard]] std::string Run();

  // `pass` has had a problem.
  [[nodiscard]] bool Refused() const { return refused_; }
  [[nodiscard]] std::uint64_t BytesUp() const { return up_.bytes; }
  [[nodiscard]] std::uint64_t BytesDown() const { return down_.bytes; }

 private:
  struct Way {
    int from = -1;
    int to = -1;
    Bytes held = {};
    bool ended = false;  // `from` has said all
    bool done = false;   // and `to` has been told, or need not be
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
