// Answers of the kernel's netlink. Properties:
//   reading ends, after at most one answer for each header that fits;
//   an error is one of the kernel's numbers;
//   what is cut short says so or is what stood before the cut.
#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "gateway/net/netlink.h"

namespace mxc::egress {
namespace {

constexpr int kMaxErrno = 4095;

void Require(bool holds, std::string_view property) {
  if (holds) return;
  std::cerr << "violated: " << property << "\n";
  std::abort();
}

struct Answers {
  std::vector<NetlinkAnswer> read = {};
  bool malformed = false;
};

Answers Read(std::span<const std::uint8_t> datagram) {
  NetlinkAnswers answers{datagram};
  Answers all;
  while (const auto answer = answers.Next()) {
    all.read.push_back(*answer);
    Require(all.read.size() <= datagram.size() / (sizeof(nlmsghdr) + sizeof(int)), "bounded by its size");
    Require(answer->error >= 0 && answer->error <= kMaxErrno, "a number of the kernel");
  }
  all.malformed = answers.Malformed();
  Require(!answers.Next(), "the end is the end");
  return all;
}

}  // namespace
}  // namespace mxc::egress

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mxc::egress;  // NOLINT(google-build-using-namespace)
  const Answers whole = Read({data, size});
  const Answers cut = Read({data, size / 2});
  Require(cut.read.size() <= whole.read.size(), "nothing is read into what is missing");
  for (std::size_t i = 0; i < cut.read.size(); ++i) {
    Require(cut.read[i].sequence == whole.read[i].sequence && cut.read[i].error == whole.read[i].error,
            "the same answers");
  }
  return 0;
}
