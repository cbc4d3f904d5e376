#include "tests/support/lifecycle_test.h"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "base/runtime_places.h"

namespace mxc::test {

LifecycleTest::LifecycleTest() : containment(GetParam().containment), prefix("bwrap") {
  if (containment == "lxc") prefix = "lxc";
  if (containment != "namespaces") return;
  containment = "process";  // the name by which clients know it
  prefix = "ns";
}

void LifecycleTest::TearDown() {
  for (const std::string& id : provisioned) {
    [[maybe_unused]] const Ended ended = Execute(Phase("deprovision", id));
  }
  std::error_code ignored;
  if (!runtime_.empty()) std::filesystem::remove_all(RuntimePlaceOf(runtime_, uid), ignored);
}

std::string LifecycleTest::OwnDirectory() {
  runtime_ = workspace.Directory("runtime");
  EXPECT_EQ(::chmod(runtime_.c_str(), 0700), 0);
  return RuntimePlaceOf(runtime_, uid);
}

Launch LifecycleTest::Call(std::vector<std::string> arguments) const {
  Launch launch = Prepare(std::move(arguments));
  if (!runtime_.empty()) launch.environment.push_back("XDG_RUNTIME_DIR=" + runtime_);
  return launch;
}

// Each request is a file of its own: several may be on their way.
Launch LifecycleTest::Request(const std::string& members, const std::string& version) const {
  static std::atomic<int> number = 0;
  const std::string text = "{\"version\":" + Quote(version) + "," + members + "}";
  return Call({"--config", workspace.File("request" + std::to_string(++number) + ".json", text)});
}

Launch LifecycleTest::Phase(const std::string& phase, const std::string& id, const std::string& more) const {
  return Request("\"phase\":" + Quote(phase) + ",\"sandboxId\":" + Quote(id) + more);
}

Launch LifecycleTest::ExecOf(const std::string& id, const std::string& command,
                             const std::string& more) const {
  return Phase("exec", id, ",\"process\":{\"commandLine\":" + Quote(command) + more + "}");
}

Launch LifecycleTest::ProvisionOf(const std::string& more, const std::string& version) const {
  return Request(R"("phase":"provision","containment":)" + Quote(containment) + more, version);
}

std::string LifecycleTest::Provision(const std::string& more) {
  const Ended ended = Execute(ProvisionOf(more.empty() ? "" : "," + more));
  EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
  provisioned.push_back(At(ended.out, "/result/sandboxId"));
  return provisioned.back();
}

std::string LifecycleTest::Started(const std::string& more) {
  std::string id = Provision(more);
  const Ended ended = Execute(Phase("start", id));
  EXPECT_EQ(ended.out, "{\"result\":{}}\n") << ended.err;
  EXPECT_EQ(ended.status, 0);
  return id;
}

std::string LifecycleTest::Listed(const std::string& id, const std::string& key) const {
  const std::string list = List();
  for (int i = 0;; ++i) {
    const std::string entry = "/" + std::to_string(i);
    const std::string found = At(list, entry + "/sandboxId");
    if (found == "absent") return found;
    if (found == id) return At(list, entry + "/" + key);
  }
}

pid_t LifecycleTest::DaemonOf(const std::string& id) const {
  const std::string daemon = Listed(id, "holder");
  return daemon == "absent" ? -1 : std::stoi(daemon);
}

std::string CodeOf(const Ended& ended) { return At(ended.out, "/error/code"); }

}  // namespace mxc::test
