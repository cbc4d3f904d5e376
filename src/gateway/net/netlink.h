// Writes and reads netlink messages as bytes, without a tool or a library.
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
  // A copy, from Bytes and Awaited of another one.
  NetlinkBatch(std::vector<std::uint8_t> bytes, std::uint32_t awaited)
      : bytes_(std::move(bytes)), awaited_(awaited) {}

  void Begin(std::uint16_t type, std::uint16_t flags);

  // The fixed part behind the header of a message; exactly once after Begin.
  template <class Fixed>
  void Header(const Fixed& fixed) {
    Append(&fixed, sizeof fixed);
  }
  void Attribute(std::uint16_t type, std::span<const std::uint8_t> value);
  void Number(std::uint16_t type, std::uint32_t value);         // in host order (rtnetlink)
  void NetworkNumber(std::uint16_t type, std::uint32_t value);  // in network order (nfnetlink)
  void LongNetworkNumber(std::uint16_t type, std::uint64_t value);
  void Text(std::uint16_t type, std::string_view value);  // with its NUL

  // Attributes written before Close are nested in this one.
  [[nodiscard]] std::size_t Open(std::uint16_t type);
  void Close(std::size_t opened);

  // Requests an acknowledgement of the message that was begun last.
  void Acknowledge();

  [[nodiscard]] std::span<const std::uint8_t> Bytes() const { return bytes_; }
  [[nodiscard]] std::uint32_t Awaited() const { return awaited_; }  // sequence number of the acknowledged one

 private:
  void Append(const void* data, std::size_t size);
  void Write16(std::size_t at, std::uint16_t value);
  void Settle();  // writes the length of the last message

  std::vector<std::uint8_t> bytes_ = {};
  std::size_t message_ = 0;
  std::uint32_t sequence_ = 0;
  std::uint32_t awaited_ = 0;
};

struct NetlinkAnswer {
  std::uint32_t sequence = 0;  // of the answered message
  int error = 0;               // errno; 0: success
};

// Iterates over the answers in one datagram of the kernel and skips other messages. Allocates nothing.
class NetlinkAnswers {
 public:
  explicit NetlinkAnswers(std::span<const std::uint8_t> datagram) : rest_(datagram) {}
  // Absent: the end, or the rest is truncated or malformed.
  [[nodiscard]] std::optional<NetlinkAnswer> Next();
  [[nodiscard]] bool Malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

// Sends `batch` to the kernel and waits for its acknowledgement. Returns 0, or the errno of the first message
// that was refused. Async-signal-safe.
[[nodiscard]] int Exchange(int socket, const NetlinkBatch& batch);

}  // namespace mxc::egress
