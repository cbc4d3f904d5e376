// The gateway's event loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "gateway/dns/host_resolver_linux.h"
#include "gateway/net/loop_linux.h"

namespace mxc::egress::loop_test {
namespace {

using testing::ElementsAre;

class Reader : public Watcher {
 public:
  Reader(int pipe, std::vector<std::string>& heard) : pipe_(pipe), heard_(heard) {}
  void OnEvents(std::uint32_t /*events*/) override {
    char byte = 0;
    if (::read(pipe_, &byte, 1) == 1) heard_.emplace_back("event");
  }

 private:
  int pipe_;
  std::vector<std::string>& heard_;
};

// What one connection has to work off keeps nobody from being heard.
TEST(Loop, HearsEventsBetweenTwoPiecesOfWorkThatTakeLong) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd reader{ends[0]};
  const UniqueFd writer{ends[1]};
  Loop loop;
  std::vector<std::string> heard;
  Reader watcher(reader.Get(), heard);
  ASSERT_TRUE(loop.Watch(reader.Get(), EPOLLIN, watcher));
  loop.Defer([&] {
    EXPECT_EQ(::write(writer.Get(), "x", 1), 1);
    ::usleep(100000);
    EXPECT_TRUE(loop.IsTurnLong());
    heard.emplace_back("long");
  });
  loop.Defer([&] { heard.emplace_back("behind"); });
  loop.RunWhile([&] { return heard.size() < 3; });
  EXPECT_THAT(heard, ElementsAre("long", "event", "behind"));
}

// A connection names thousands of hosts in a turn.
TEST(Loop, TheResolversFilesAreReadOnceInATurn) {
  const std::string path = testing::TempDir() + "mxc-loop-test-hosts";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  Loop loop;
  HostResolver resolver(loop, {.resolv_conf = "/dev/null", .hosts = path.c_str()}, 1);
  const auto found = [&] { return resolver.Texts().hosts->AddressesOf("a.test").size(); };
  write("203.0.113.1 a.test\n");
  EXPECT_EQ(found(), 1U);
  write("203.0.113.1 a.test\n203.0.113.2 a.test\n");
  EXPECT_EQ(found(), 1U);
  bool turned = false;
  loop.Defer([&] { turned = true; });
  loop.RunWhile([&] { return !turned; });
  EXPECT_EQ(found(), 2U);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace mxc::egress::loop_test
