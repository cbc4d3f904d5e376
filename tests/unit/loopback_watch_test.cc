#include "run/loopback_watch.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <thread>

#include "tests/support/workspace.h"

namespace mxc::test::loopback_watch_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kHeading = "  sl  local_address rem_address   st tx_queue rx_queue\n";

class LoopbackWatchTest : public testing::Test {
 protected:
  // The tables of the processes of one network namespace.
  std::string Tables(const std::string& name, const std::string& tcp, const std::string& tcp6 = "") {
    workspace_.File(name + "/tcp", kHeading + tcp);
    workspace_.File(name + "/tcp6", kHeading + tcp6);
    return workspace_.Path(name);
  }
  Workspace workspace_{::geteuid()};
};

// 5432 is 1538, 6379 is 18EB.
TEST_F(LoopbackWatchTest, ReadsWhoListensWhereTheLoopbackLeads) {
  EXPECT_THAT(LoopbackListeners(Tables("net",
                                       "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000\n"
                                       "   1: 00000000:18EB 00000000:0000 0A 00000000:00000000\n"
                                       "   2: 0500000A:0050 00000000:0000 0A 00000000:00000000\n"
                                       "   3: 0100007F:0051 0100007F:1538 01 00000000:00000000\n",
                                       "   0: 00000000000000000000000001000000:0016 "
                                       "00000000000000000000000000000000:0000 0A 00000000:00000000\n"
                                       "   1: 0000000000000000FFFF00000100007F:0017 "
                                       "00000000000000000000000000000000:0000 0A 00000000:00000000\n"
                                       "   2: B80D0120000000000000000001000000:0018 "
                                       "00000000000000000000000000000000:0000 0A 00000000:00000000\n")),
              ElementsAre(0x16, 0x17, 5432, 6379));
  EXPECT_THAT(LoopbackListeners(workspace_.Path("none")), IsEmpty());
}

TEST_F(LoopbackWatchTest, MissesWhatOnlyTheHostHas) {
  const std::string host = Tables("host", "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000\n");
  const std::string empty = Tables("empty", "");
  LoopbackWatch watch(host);
  watch.Connects(empty, 6379);  // of neither: it would fail outside, too
  EXPECT_THAT(watch.Missed(), IsEmpty());
  watch.Connects(empty, 5432);
  EXPECT_THAT(watch.Missed(), ElementsAre(5432));
  std::this_thread::sleep_for(LoopbackWatch::kPause);
  watch.Connects(host, 5432);  // a server of the sandbox's own has started
  EXPECT_THAT(watch.Missed(), IsEmpty());
}

}  // namespace
}  // namespace mxc::test::loopback_watch_test
