// Names and files by which git on the host fetches or runs what a command wrote, though no key of a
// configuration names a program.
#include <gmock/gmock.h>

#include "tests/containment/git_on_the_host.h"

namespace mxc::test::git_names_test {
namespace {

using testing::HasSubstr;

class GitNames : public GitOnTheHost {};
MXC_FOR_EACH_CALLER(GitNames);

// `git fetch --all` hands names of remotes on as arguments, and with a promisor even `git status` fetches an
// object that is missing, also from the repository around it.
TEST_P(GitNames, NestedRepositoriesThatFetchAsTheyLikeAreSetAside) {
  const std::string option = "[remote \"--upload-pack=touch " + root + "/MARK\"]\n url = " + root + "/p\n";
  const std::string extension = "[extensions]\n partialClone = --upload-pack=touch " + root + "/MARK\n";
  const std::vector<std::string> configs = {
      option, option + " promisor = true\n" + extension, "[branch \"x\"]\n remote = --upload-pack=touch\n",
      "[remote \"o\"]\n promisor = true\n url = " + root + "/p\n", extension};
  for (std::size_t row = 0; row < configs.size(); ++row) {
    const char* const engine = EngineOfRow(row, uid, Everywhere());
    const std::string commit = "git -c user.name=a -c user.email=a@b commit -q -m x";
    ASSERT_EQ(Shell("git init -q p; cd p; mkdir docs; echo x >docs/f; git add .; " + commit).status, 0);
    const Ended ended =
        RunConfig({.containment = engine,
                   .command = "cd " + root + "/p/docs; git init -q .; git add f; " + commit +
                              "; t=$(git rev-parse HEAD^{tree}); c=$(git rev-parse HEAD); "
                              "rm -f .git/objects/$(echo $t | sed 's,^..,&/,'); "
                              "sed -i 's/version = 0/version = 1/' .git/config; cat >>.git/config <<'END'\n" +
                              configs[row] +
                              "END\ncd ..; git rm -rq --cached docs; "
                              "git update-index --add --cacheinfo 160000,$c,docs",
                   .read_write = {root},
                   .cwd = root});
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("/p/docs/.git' (now '")) << engine << configs[row];
    const Ended daily = Shell("cd p; git status; cd docs; git status; git fetch --all");
    EXPECT_FALSE(Exists(root + "/MARK")) << engine << configs[row] << ended.err << daily.err;
    ASSERT_EQ(Shell("rm -rf p MARK").status, 0);
  }
}

// git starts gpg and ssh, which obey more than one file of the caller's home each.
TEST_P(GitNames, WhatGpgAndSshObeyInTheCallersHome) {
  for (const char* engine : Everywhere()) {
    ASSERT_EQ(Shell("mkdir -p .gnupg .ssh/config.d; echo '# mine' >.gnupg/gpg.conf; "
                    "echo 'Include config.d/*' >.ssh/config")
                  .status,
              0);
    Launch launch = PrepareConfig({.containment = engine,
                                   .command = "cd " + root +
                                              "; for f in .gnupg/gpg.conf .gnupg/gpg-agent.conf "
                                              ".gnupg/gpg.conf-2 .ssh/config.d/new .subversion/config; do "
                                              "mkdir -p $(dirname $f); echo evil >>$f; done; true",
                                   .read_write = {root},
                                   .cwd = root});
    launch.environment = {"PATH=/usr/bin:/bin", "HOME=" + root};
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_EQ(Shell("cat .gnupg/gpg.conf").out, "# mine\n") << engine << ended.err;
    const bool told = ended.err.find("/.gnupg/gpg-agent.conf'") != std::string::npos;
    EXPECT_TRUE(told || !Exists(root + "/.gnupg/gpg-agent.conf")) << engine << ended.err;
    for (const char* file : {".gnupg/gpg.conf-2", ".ssh/config.d/new", ".subversion/config"})
      EXPECT_THAT(ended.err, HasSubstr(root + "/" + file)) << engine;
    ASSERT_EQ(Shell("rm -rf .gnupg .ssh .subversion").status, 0);
  }
}

}  // namespace
}  // namespace mxc::test::git_names_test
