#include "policy/discover.h"

#include <gtest/gtest.h>

#include "tests/support/fake_host.h"

namespace mxc::discover_test {
namespace {

using Paths = std::vector<std::string>;

TEST(Discover, ToolsOnPathAndInVariables) {
  FakeHost host;
  host.AddDebian().AddDirectory("/opt/node/bin").AddDirectory("/home/ana/.cargo").AddDirectory("/opt/py");
  host.AddFile("/opt/file").AddSymlink("/opt/current", "node").AddDirectory("/usr/local/bin");
  host.SetEnvironment("PATH",
                      "/usr/bin:/usr/local/bin/:rel:/opt/gone::/opt/node/../node/bin:/opt/file:/usr/bin/x")
      .SetEnvironment("PYTHONPATH", "/opt/py:/usr/local/bin")
      .SetEnvironment("CARGO_HOME", "/home/ana/.cargo")
      .SetEnvironment("JAVA_HOME", "/opt/py:/opt/node")
      .SetEnvironment("NVM_SYMLINK", "/opt/current")
      .SetEnvironment("PYENV_ROOT", "/proc/self")
      .SetEnvironment("OTHER", "/opt");
  const Result<Discovery> found = Discover("tools", host);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->read_only,
            (Paths{"/usr/local/bin", "/opt/node/bin", "/opt/py", "/home/ana/.cargo", "/opt/current"}));
  EXPECT_EQ(found->read_write, Paths{});
}

TEST(Discover, Profile) {
  FakeHost host;
  host.AddDirectory("/home/ana/.local/bin")
      .AddFile("/home/ana/.local/lib")
      .SetEnvironment("HOME", "/home/ana/");
  EXPECT_EQ(Discover("profile", host)->read_only, Paths{"/home/ana/.local/bin"});
  EXPECT_EQ(Discover("profile", FakeHost{})->read_only, Paths{});
}

TEST(Discover, Temp) {
  FakeHost host;
  host.AddDirectory("/tmp").AddDirectory("/scratch");
  EXPECT_EQ(Discover("temp", host)->read_write, Paths{"/tmp"});
  host.SetEnvironment("TMPDIR", "/scratch");
  EXPECT_EQ(Discover("temp", host)->read_write, Paths{"/scratch"});
  host.SetEnvironment("TMPDIR", "/gone");
  EXPECT_EQ(Discover("temp", host)->read_write, Paths{});
}

TEST(Discover, AnythingElseIsAMistakeOfUsage) {
  const Result<Discovery> found = Discover("tool", FakeHost{});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUsage);
  EXPECT_EQ(found.error().message, "cannot discover 'tool'");
  EXPECT_EQ(found.error().hint, "one of: tools, profile, temp");
}

}  // namespace
}  // namespace mxc::discover_test
