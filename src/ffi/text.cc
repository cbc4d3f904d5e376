#include "ffi/text.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/utf8.h"
#include "ffi/mutex.h"

namespace mxc::ffi {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Lent {
  Lent* next;
  char text[1];
};

// Loading and unloading the library is of no consequence to it (-z nodelete); nothing is destroyed.
Mutex lent_mutex;
Lent* lent_texts = nullptr;

char* OrNull(std::string_view text) { return text.empty() ? nullptr : Copy(text); }

}  // namespace

char* Copy(std::string_view text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

char* Lend(std::string_view text) {
  auto* const lent = static_cast<Lent*>(std::malloc(sizeof(Lent) + text.size()));
  if (lent == nullptr) return nullptr;
  char* const copy = &lent->text[0];
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  const std::lock_guard lock(lent_mutex);
  lent->next = lent_texts;
  lent_texts = lent;
  return copy;
}

// Runtimes of some languages hand us a copy of what they were given.
void TakeBack(char* lent) {
  const std::lock_guard lock(lent_mutex);
  for (Lent** each = &lent_texts; *each != nullptr; each = &(*each)->next) {
    if (&(*each)->text[0] != lent) continue;
    Lent* const found = *each;
    *each = found->next;
    return std::free(found);
  }
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

char* AsText(std::string_view bytes) {
  std::size_t size = 0;
  const auto each = [bytes](auto&& take) {
    for (std::string_view rest = bytes; !rest.empty();) {
      const Character character = FirstCharacter(rest);
      const bool kept = character.valid && character.code != 0;
      take(kept ? rest.substr(0, character.bytes) : kReplacement);
      rest.remove_prefix(character.bytes);
    }
  };
  each([&size](std::string_view part) { size += part.size(); });
  if (size == bytes.size() && bytes.find('\0') == std::string_view::npos && IsUtf8(bytes)) return Copy(bytes);
  auto* const text = static_cast<char*>(std::malloc(size + 1));
  if (text == nullptr) return nullptr;
  char* end = text;
  each([&end](std::string_view part) {
    std::memcpy(end, part.data(), part.size());
    end += part.size();
  });
  *end = '\0';
  return text;
}

Failure SystemFailure(const char* operation) {
  const int number = errno;
  char buffer[128] = {};
  return {.status = MXC_BACKEND_ERROR,
          .message = std::string(operation) + ": " + ::strerror_r(number, &buffer[0], sizeof buffer),
          .operation = operation,
          .number = number};
}

void Fill(const Failure& failure, MxcErrorDetail& detail) {
  detail = {};
  if (!failure.Failed()) return;
  detail.message = AsText(failure.message);
  detail.remediation = failure.remediation.empty() ? nullptr : AsText(failure.remediation);
  if (failure.operation == nullptr) return;
  detail.operation = OrNull(failure.operation);
  char digits[16] = {};
  const char* const end = std::to_chars(&digits[0], &digits[0] + sizeof digits, failure.number).ptr;
  detail.native_code = Copy({&digits[0], static_cast<std::size_t>(end - &digits[0])});
}

void Free(MxcErrorDetail& detail) {
  for (char* const text : {detail.message, detail.operation, detail.native_code, detail.remediation})
    std::free(text);
  detail = {};
}

}  // namespace mxc::ffi
