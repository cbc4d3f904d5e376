// Lambdas as one visitor of a std::variant.
#pragma once

namespace mxc {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace mxc
