// What callers hand in, before the program judges it.
#pragma once

#include <cstdint>

#include "ffi/text.h"

namespace mxc::ffi {

enum class Expected {
  kRun,        // no phase
  kExec,       // the phase exec
  kLifecycle,  // every other phase
  kAny,        // every phase
};

// Fails for what is no text, and for a document of another kind: what a call does is not for the document to
// say.
[[nodiscard]] Failure CheckRequest(const char* document, Expected expected);

// Why a request of a persistent sandbox failed, in the words of the SDK: the two containments that it knows
// of are absent here, and not of another kind.
[[nodiscard]] Failure InWordsOfSdk(const char* document, Failure failure);

// 1 to 32767 rows and columns.
[[nodiscard]] Failure CheckSize(std::uint16_t rows, std::uint16_t columns);

}  // namespace mxc::ffi
