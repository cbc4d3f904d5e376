#include "gateway/net/splice_pipes_linux.h"

#include <fcntl.h>

#include <utility>

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxIdle = 16;
// More bytes a turn are fewer system calls a byte. Over the user's pipe quota the kernel keeps to less.
constexpr int kPipeBytes = 1 << 20;

}  // namespace

SplicePipe PipePool::Take() {
  if (!idle_.empty()) {
    SplicePipe pipe = std::move(idle_.back());
    idle_.pop_back();
    return pipe;
  }
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

void PipePool::Give(SplicePipe pipe) {
  if (pipe && idle_.size() < kMaxIdle) idle_.push_back(std::move(pipe));
}

}  // namespace mxc::egress
