#include "document/source.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/own_files.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

constexpr std::uint8_t kNotASymbol = 0xFF;

constexpr std::array<std::uint8_t, 256> MakeSymbolTable() {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> table = {};
  table.fill(kNotASymbol);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<std::uint8_t>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> kSymbols = MakeSymbolTable();

// The bytes of one quantum of four symbols, `padding` of which were "=". Unused bits must be zero: one text
// for one document.
std::optional<std::string> DecodeQuantum(std::string_view symbols, std::size_t padding) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool padded = i >= 4 - padding;
    const std::uint8_t symbol = padded ? std::uint8_t{0} : kSymbols[static_cast<std::uint8_t>(symbols[i])];
    if (symbol == kNotASymbol) return std::nullopt;
    bits = (bits << 6U) | symbol;
  }
  std::string bytes;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto byte = static_cast<std::uint8_t>(bits >> (16U - 8U * i));
    if (i < 3 - padding) {
      bytes += static_cast<char>(byte);
    } else if (byte != 0) {
      return std::nullopt;
    }
  }
  return bytes;
}

Error BadBase64() {
  return {.code = ErrorCode::kMalformed,
          .message = "Invalid base64 configuration: the text is not standard base64",
          .hint = "encode with the standard alphabet, with padding and without line breaks (base64 -w0)"};
}

}  // namespace

Result<Source> ReadDescriptorSource(int borrowed_fd, std::string name) {
  Source source{.name = std::move(name)};
  std::array<char, 4096> buffer;  // NOLINT(*-member-init): each page that is touched costs a fault
  for (;;) {
    const std::int64_t count = ReadSome(borrowed_fd, buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return SystemError(ErrorCode::kMalformed, "Cannot read config '" + source.name + "'", errno);
    if (count == 0) return source;
    if (source.bytes.size() + static_cast<std::size_t>(count) > kMaxDocumentBytes) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = "The configuration '" + source.name + "' is larger than " +
                              std::to_string(kMaxDocumentBytes) + " bytes"};
    }
    source.bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<Source> DecodeBase64Source(std::string_view text) {
  if (text.size() / 4 * 3 > kMaxDocumentBytes + 2) {
    return Error{
        .code = ErrorCode::kMalformed,
        .message = "The configuration is larger than " + std::to_string(kMaxDocumentBytes) + " bytes"};
  }
  if (text.size() % 4 != 0) return BadBase64();
  Source source{.name = "<base64>"};
  source.bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::string_view symbols = text.substr(at, 4);
    const bool last = at + 4 == text.size();
    std::size_t padding = 0;
    if (last && symbols[3] == '=') padding = symbols[2] == '=' ? 2 : 1;
    const std::optional<std::string> bytes = DecodeQuantum(symbols, padding);
    if (!bytes) return BadBase64();
    source.bytes += *bytes;
  }
  return source;
}

}  // namespace mxc
