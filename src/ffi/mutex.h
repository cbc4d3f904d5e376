// A mutex of libc's, for std::lock_guard: that of the standard library is a part of its runtime.
#pragma once

#include <pthread.h>

namespace mxc::ffi {

class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  // NOLINTBEGIN(readability-identifier-naming): the names that std::lock_guard calls
  void lock() { ::pthread_mutex_lock(&mutex_); }
  void unlock() { ::pthread_mutex_unlock(&mutex_); }
  // NOLINTEND(readability-identifier-naming)

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace mxc::ffi
