// Inverses of what has been done, run last first when the owner goes out of scope.
//
//   Undo undo;
//   mkdir(path);
//   undo.Push([=] { rmdir(path); });  // next to what it undoes: early returns need no cleanup code
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace mxc {

class Undo {
 public:
  Undo() = default;
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() { Run(); }

  // `inverse` must not throw.
  void Push(std::function<void()> inverse) { stack_.push_back(std::move(inverse)); }

  // Undoes everything now; the stack is empty afterwards.
  void Run() {
    while (!stack_.empty()) {
      const std::function<void()> inverse = std::move(stack_.back());
      stack_.pop_back();
      inverse();
    }
  }

 private:
  std::vector<std::function<void()>> stack_;
};

}  // namespace mxc
