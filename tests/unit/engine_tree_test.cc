// From mount nodes to actions: where each target is made, and what does not hang together.
#include <gtest/gtest.h>

#include "engine/program.h"
#include "engine/report.h"

namespace mxc::engine::engine_tree_test {
namespace {

using Kind = MountAction::Kind;

Program Prepared(const std::vector<MountNode>& mounts) {
  LinuxSandbox sandbox;
  sandbox.mounts = mounts;
  Program program;
  const Status status = PrepareMounts(sandbox, program);
  EXPECT_TRUE(status.ok()) << (status ? "" : status.error().message);
  return program;
}

std::string Refusal(const std::vector<MountNode>& mounts) {
  LinuxSandbox sandbox;
  sandbox.mounts = mounts;
  Program program;
  const Status status = PrepareMounts(sandbox, program);
  return status ? "" : status.error().message;
}

TEST(EngineTree, MissingParentsAreMade) {
  const Program program = Prepared({BindMount{.source = "/usr/lib", .target = "/usr/lib"},
                                    BindMount{.source = "/usr/bin", .target = "/usr/bin"}});
  ASSERT_EQ(program.mounts.size(), 3U);
  EXPECT_EQ(program.mounts[0].kind, Kind::kDirectory);
  EXPECT_EQ(program.mounts[0].path, "usr");
  EXPECT_EQ(program.mounts[1].path, "usr/lib");
  EXPECT_EQ(program.mounts[2].path, "usr/bin");
  EXPECT_EQ(program.slots, 1U);
}

TEST(EngineTree, TargetInABindIsLookedUpNotMade) {
  const Program program =
      Prepared({BindMount{.source = "/srv", .target = "/srv"}, FileMask{.target = "/srv/deep/secret"}});
  ASSERT_EQ(program.mounts.size(), 2U);
  EXPECT_EQ(program.mounts[1].base, kInBind);
  EXPECT_EQ(program.mounts[1].path, "srv/deep/secret");
}

TEST(EngineTree, TargetInATmpfsIsMadeThere) {
  const Program program = Prepared({BindMount{.source = "/srv", .target = "/srv"},
                                    TmpfsMount{.target = "/srv/hidden", .read_only = true},
                                    BindMount{.source = "/srv/hidden/a/b", .target = "/srv/hidden/a/b"}});
  ASSERT_EQ(program.mounts.size(), 4U);
  EXPECT_EQ(program.mounts[1].slot, 1);
  EXPECT_EQ(program.mounts[2].base, 1);
  EXPECT_EQ(program.mounts[2].path, "a");
  EXPECT_EQ(program.mounts[3].base, 1);
  EXPECT_EQ(program.mounts[3].path, "a/b");
}

TEST(EngineTree, PolicyPathOverItselfIsCheckedOnBothSides) {
  const FileObject object{.device = 1, .inode = 2};
  const Program program = Prepared({BindMount{.source = "/srv", .target = "/srv", .object = object},
                                    BindMount{.source = "/srv/x", .target = "/srv/x", .object = object},
                                    BindMount{.source = "/else", .target = "/srv/y", .object = object}});
  EXPECT_FALSE(program.mounts[0].covers_self);
  EXPECT_TRUE(program.mounts[1].covers_self);
  EXPECT_FALSE(program.mounts[2].covers_self);
}

// What stands below a bind of something else is another object than the source of that name.
TEST(EngineTree, ABindOverAnImageIsCheckedAtItsSource) {
  const FileObject object{.device = 1, .inode = 2};
  const Program program = Prepared({BindMount{.source = "/image/usr", .target = "/usr", .object = object},
                                    BindMount{.source = "/usr/x", .target = "/usr/x", .object = object},
                                    FileMask{.target = "/usr/y", .object = object}});
  EXPECT_TRUE(program.mounts[1].checked);
  EXPECT_FALSE(program.mounts[1].covers_self);
  EXPECT_TRUE(program.mounts[2].covers_self);
}

TEST(EngineTree, RootMayBeABind) {
  const Program program = Prepared({BindMount{.source = "/", .target = "/"}, ProcMount{.target = "/proc"}});
  EXPECT_TRUE(program.root_is_bind);
  EXPECT_EQ(program.mounts[1].base, kInBind);
  EXPECT_EQ(program.mounts[1].path, "proc");
}

TEST(EngineTree, RefusesWhatWouldReachTheHost) {
  EXPECT_EQ(Refusal({MakeSymlink{"/bin", "usr/bin"}, BindMount{.source = "/x", .target = "/bin/x"}}),
            "mount tree: '/bin/x' stands below a symbolic link");
  EXPECT_EQ(Refusal({BindMount{.source = "/srv", .target = "/srv"}, MakeSymlink{"/srv/l", "/etc"}}),
            "mount tree: '/srv/l' would be made on the host");
  EXPECT_EQ(Refusal({BindMount{.source = "/x", .target = "/a/../b"}}),
            "mount tree: '/a/../b' is not an absolute, normal path");
  EXPECT_EQ(Refusal({TmpfsMount{.target = "/"}}), "mount tree: '/' can only be bound, and first");
}

TEST(EngineReport, EveryStepHasWords) {
  Program program;
  program.command.arguments = {"cmd"};
  for (int step = 0; step <= static_cast<int>(Step::kExecute); ++step) {
    const Error error = StepError({.step = static_cast<Step>(step), .number = EIO}, program);
    EXPECT_EQ(error.code, ErrorCode::kSetupFailed);
    EXPECT_EQ(error.message.find("set up the sandbox:"), std::string::npos) << step;
  }
}

TEST(EngineReport, KnownHostsGetTheirRemedy) {
  const Program program;
  const auto hint = [&](Step step, int number) {
    return StepError({.step = step, .number = number}, program).hint;
  };
  EXPECT_NE(hint(Step::kCreate, ENOSPC).find("max_user_namespaces"), std::string::npos);
  for (const Step step : {Step::kCreate, Step::kMapIdentity, Step::kRoot})
    EXPECT_EQ(hint(step, EPERM), "");  // the launcher looks at the host
  EXPECT_NE(hint(Step::kProc, EPERM).find("unmasked /proc"), std::string::npos);
  EXPECT_EQ(hint(Step::kProc, EINVAL), "");
  for (const Step forks : {Step::kCreate, Step::kNetwork, Step::kSpawn}) {
    EXPECT_NE(hint(forks, EAGAIN).find("RLIMIT_NPROC"), std::string::npos);
    EXPECT_NE(hint(forks, EAGAIN).find("pids.max"), std::string::npos);
  }
  EXPECT_EQ(hint(Step::kPivot, EAGAIN), "");
  for (const Step any : {Step::kCreate, Step::kMapIdentity, Step::kTmpfs, Step::kCloneMounts, Step::kSpawn})
    EXPECT_NE(hint(any, EMFILE).find("RLIMIT_NOFILE"), std::string::npos);
}

}  // namespace
}  // namespace mxc::engine::engine_tree_test
