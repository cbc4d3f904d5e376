// What a sandbox hands to another one, which outlives it.
#include <unistd.h>

#include <future>

#include "tests/containment/containment.h"

namespace mxc::test {
namespace {

bool Appears(const std::string& path) {
  for (int i = 0; i < 500 && ::access(path.c_str(), F_OK) != 0; ++i) ::usleep(10000);
  return ::access(path.c_str(), F_OK) == 0;
}

class Passing : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Passing);

// The kernel takes the mounts of a namespace that ends off each other, unless they are locked.
TEST_P(Passing, ADirectoryStaysMaskedWhenItsSandboxHasEnded) {
  const std::string rw = workspace.Directory("rw");
  const std::string secret = Secret("rw/secret");
  Secret("rw/den/secret");
  workspace.File("rw/ro/file", "text");
  const Parts policy{.read_only = {rw + "/ro"}, .read_write = {rw}, .denied = {secret, rw + "/den"}};
  const Launch taker = PrepareGuest(policy, {{"take", rw + "/socket"},
                                             {"await", rw + "/go"},
                                             {"read-below", "secret"},
                                             {"read-below", "den/secret"},
                                             {"read-below", "ro/file"},
                                             {"write-below", "ro/file"},
                                             {"write-below", "ro/new"},
                                             {"write-below", "new"}});
  std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
  ASSERT_TRUE(Appears(rw + "/socket"));  // both configurations stand in one file, one after the other
  const Ended passed = Execute(PrepareGuest(policy, {{"pass", rw, rw + "/socket"}}));
  EXPECT_EQ(passed.out, "ok\n") << passed.err;
  workspace.File("rw/go", "");
  const Ended ended = taken.get();
  EXPECT_EQ(ended.out, "ok\nok\nEACCES\nEACCES\ntext\nEROFS\nEROFS\nok\n") << ended.err;
}

}  // namespace
}  // namespace mxc::test
