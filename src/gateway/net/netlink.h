// Netlink messages as bytes, written and read by hand: no tool is run and no library linked for them.
//
//   NetlinkBatch batch;
//   batch.Begin(RTM_NEWADDR, NLM_F_CREATE);
//   batch.Header(ifaddrmsg{...});
//   batch.Attribute(IFA_LOCAL, address);
//   batch.Acknowledge();                  // the kernel answers this one; a refused one it always does
//   int number = Exchange(socket, batch);  // 0, or an errno
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace mxc::egress {

// Messages for one send(2), in the order they are begun; their sequence numbers are 1, 2, 3 ...
class NetlinkBatch {
 public:
  NetlinkBatch() = default;
  // What Bytes and Awaited of another one said.
  NetlinkBatch(std::vector<std::uint8_t> bytes, std::uint32_t awaited)
      : bytes_(std::move(bytes)), awaited_(awaited) {}

  void Begin(std::uint16_t type, std::uint16_t flags);

  // The fixed part that follows the header of a message, exactly once after Begin.
  template <class Fixed>
  void Header(const Fixed& fixed) {
    Append(&fixed, sizeof fixed);
  }
  void Attribute(std::uint16_t type, std::span<const std::uint8_t> value);
  void Number(std::uint16_t type, std::uint32_t value);         // in the order of this machine (rtnetlink)
  void NetworkNumber(std::uint16_t type, std::uint32_t value);  // in network order (nfnetlink)
  void Text(std::uint16_t type, std::string_view value);        // with its NUL

  // Attributes written until Close stand inside this one.
  [[nodiscard]] std::size_t Open(std::uint16_t type);
  void Close(std::size_t opened);

  // Asks for an answer to the message that was begun last.
  void Acknowledge();

  [[nodiscard]] std::span<const std::uint8_t> Bytes() const { return bytes_; }
  [[nodiscard]] std::uint32_t Awaited() const { return awaited_; }  // sequence number of that message

 private:
  void Append(const void* data, std::size_t size);
  void Write16(std::size_t at, std::uint16_t value);
  void Settle();  // the length of the last message

  std::vector<std::uint8_t> bytes_ = {};
  std::size_t message_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t awaited_ = 0;
};

struct NetlinkAnswer {
  std::uint32_t sequence = 0;  // of the message it answers
  int error = 0;               // errno; 0: done
};

// Walks through the answers in one datagram of the kernel; other messages are passed over. Allocates nothing.
class NetlinkAnswers {
 public:
  explicit NetlinkAnswers(std::span<const std::uint8_t> datagram) : rest_(datagram) {}
  // Nothing: at the end, or where the rest is cut short or malformed.
  [[nodiscard]] std::optional<NetlinkAnswer> Next();
  [[nodiscard]] bool Malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

// Sends `batch` to the kernel and waits for the answer it awaits. Returns 0, or the errno of the first
// message that was refused. Async-signal-safe.
[[nodiscard]] int Exchange(int socket, const NetlinkBatch& batch);

}  // namespace mxc::egress
