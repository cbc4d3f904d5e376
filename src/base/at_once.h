// Many small pieces of work, shared by several processors.
//
//   AtOnce(paths.size(), [&](std::size_t i) { found[i] = Look(paths[i]); });
#pragma once

#include <cstddef>
#include <functional>

namespace mxc {

// Calls `work` once with each number below `count`, in any order and, where they are many, on several
// threads, which have ended when this returns. An exception of `work` is thrown again here.
void AtOnce(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace mxc
