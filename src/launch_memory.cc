// operator new of the released program, a process that lives for one launch. It takes memory from a static
// block, so that a launch neither maps nor unmaps any, and reuses freed memory while it is in the cache.
// malloc serves blocks larger than kLargest, other threads, and everything once the block is used up.
//
// Worth 4 to 5 % of the processor time of a launch, by musl. Measured by tests/bench/paired.py against a
// program linked without this file.
//
// Not in builds with tests: a sanitizer brings its own.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kUnit = 16;  // alignment, and the step of the sizes
constexpr std::size_t kLargest = 8192;
constexpr std::size_t kBlockBytes = std::size_t{512} * 1024;  // a launch of a few hundred paths

struct Free {
  Free* next = nullptr;
};

alignas(kUnit) std::array<std::byte, kBlockBytes> block;
std::size_t used = kUnit / 2;  // so that what follows a header of 8 bytes is aligned
std::array<Free*, kLargest / kUnit + 1> free_lists;
const void* const main_thread = __builtin_thread_pointer();

bool InBlock(const void* memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(block.data());
  return at >= begin && at < begin + kBlockBytes;
}

// Before each piece stands its class, a number of units.
std::size_t& ClassOf(void* memory) { return *(static_cast<std::size_t*>(memory) - 1); }

void* TakePiece(std::size_t units) {
  if (Free* const piece = free_lists[units]; piece != nullptr) {
    free_lists[units] = piece->next;
    return piece;
  }
  const std::size_t bytes = units * kUnit;
  if (bytes > kBlockBytes - used) return nullptr;
  void* const memory = block.data() + used + sizeof(std::size_t);
  used += bytes;
  ClassOf(memory) = units;
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  if (size <= kLargest - kUnit && __builtin_thread_pointer() == main_thread) {
    if (void* const memory = TakePiece((size + sizeof(std::size_t) + kUnit - 1) / kUnit)) return memory;
  }
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  if (!InBlock(memory)) return std::free(memory);
  if (__builtin_thread_pointer() != main_thread) return;  // lost until the end, which is near
  free_lists[ClassOf(memory)] = new (memory) Free{free_lists[ClassOf(memory)]};
}

void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }
