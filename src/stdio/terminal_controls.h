// Bytes that control a terminal.
#pragma once

#include <cstdint>

namespace mxc {

inline constexpr std::uint8_t kEnquiry = 0x05;
inline constexpr std::uint8_t kBell = 0x07;
inline constexpr std::uint8_t kShiftOut = 0x0e;
inline constexpr std::uint8_t kShiftIn = 0x0f;
inline constexpr std::uint8_t kCancel = 0x18;
inline constexpr std::uint8_t kSubstitute = 0x1a;
inline constexpr std::uint8_t kEscapeByte = 0x1b;
inline constexpr std::uint8_t kDelete = 0x7f;
// C1 controls of one byte, which terminals also take in the encoding of UTF-8, where it is the last byte.
inline constexpr std::uint8_t kFirstC1 = 0x80;
inline constexpr std::uint8_t kLastC1 = 0x9f;
inline constexpr std::uint8_t kDcs = 0x90;
inline constexpr std::uint8_t kDecId = 0x9a;
inline constexpr std::uint8_t kCsi = 0x9b;
inline constexpr std::uint8_t kStringEnd = 0x9c;
inline constexpr std::uint8_t kOsc = 0x9d;

}  // namespace mxc
