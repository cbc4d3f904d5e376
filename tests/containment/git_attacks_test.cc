// Git itself as the judge: random attacks over several runs, and then the daily work of the host in every
// repository that was there before. Nothing that the command has planted may run.
//
// Bounded by time; MXC_GIT_ATTACKS_SECONDS for a longer search, MXC_GIT_ATTACKS_SEED for one that is known.
#include <chrono>
#include <cstdlib>
#include <random>

#include "tests/containment/containment.h"
#include "tests/containment/git_on_the_host.h"

namespace mxc::test::git_attacks_test {
namespace {

constexpr const char* kSetUp = R"sh(set -e
git init -q up && cd up && echo one > file && git add . && git commit -qm one && cd ..
git clone -q up work && cd work
git -c protocol.file.allow=always submodule --quiet add ../up sub && git commit -qm sub
mkdir -p src tools && echo x > src/x && git add . && git commit -qm x
git config core.hooksPath tools/hooks && git config include.path ../local.cfg
git config diff.d.textconv tools/conv && git config filter.f.clean 'sh tools/clean' && git config alias.go '!tools/go'
git worktree add -q ../tree -b tree
git init -q vendor/nested && git -C vendor/nested commit -q --allow-empty -m x
git init -q ../links && ln -s ../../tools/check ../links/.git/hooks/pre-commit && mkdir ../links/tools
printf '#!/bin/sh\n' > ../links/tools/check && chmod +x ../links/tools/check
git init -q ../turned && rm -rf ../turned/.git/hooks && mkdir ../turned/hk && ln -s ../hk ../turned/.git/hooks
git clone -q --bare . ../bare.git
mkdir -p ../home/.config && printf '[include]\n\tpath = ~/more.cfg\n' > ../home/.gitconfig
)sh";

// What runs the canary, once git obeys it. X: the command line.
constexpr const char* kPayloads[] = {
    "[core]\n\tfsmonitor = \"X\"\n",
    "[core]\n\tsshCommand = \"X\"\n[core]\n\teditor = \"X\"\n[sequence]\n\teditor = \"X\"\n[core]\n\taskPass "
    "= \"X\"\n",
    "[core]\n\thooksPath = ROOT/evil-hooks\n",
    "[filter \"e\"]\n\tclean = \"X\"\n\tsmudge = \"X\"\n\tprocess = \"X\"\n[diff \"e\"]\n\ttextconv = \"X\"\n"
    "\tcommand = \"X\"\n[diff]\n\texternal = \"X\"\n",
    "[remote \"origin\"]\n\turl = ROOT/up\n\tuploadpack = \"X;\"\n[uploadpack]\n\tpackObjectsHook = \"X\"\n",
    "[remote \"--upload-pack=X;\"]\n\turl = ROOT/up\n",
    "[remote \"origin\"]\n\turl = ext::X\n[protocol]\n\tallow = always\n[credential]\n\thelper = \"!X\"\n",
    "[gpg]\n\tprogram = \"X\"\n[commit]\n\tgpgSign = true\n[user]\n\tsigningKey = x\n",
    "[include]\n\tpath = ROOT/evil.cfg\n",
    "[includeIf \"gitdir:/**\"]\n\tpath = ROOT/evil.cfg\n",
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ROOT/work\n\tfsmonitor = \"X\"\n",
    "[core]\n\tfsmon\\\nitor = x\n\tfsmonitor \\\n = \"X\"\n",
};

// Directories an attack is about; the repositories of before among them.
constexpr const char* kPlaces[] = {
    ".",
    "up",
    "up/.git",
    "work",
    "work/.git",
    "work/src",
    "work/sub",
    "tree",
    "bare.git",
    "links",
    "turned",
    "work/new",
    "work/vendor",
    "work/.git/modules/sub",
    "work/tools",
    "links/.git",
    "turned/.git",
    "new",
    "home",
    "work/new/.git",
    "work/vendor/nested",
    "work/.git/worktrees/tree",
    "work/vendor/nested/.git",
    "work/.git/modules/new",
    "home/.config/git",
    "work/sub.x",
    "work/.git/objects/evil",
    "up/objects",
    "gits/e",
};
constexpr const char* kRepositories[] = {"up",         "work",  "work/src", "work/sub",           "tree",
                                         "bare.git",   "links", "turned",   "work/vendor/nested", ".",
                                         "work/vendor"};
// Files of those, with what may be written there.
constexpr const char* kConfigurations[] = {
    "config",     ".git/config", "config.worktree", ".git/config.worktree",
    ".gitconfig", "local.cfg",   "more.cfg",        "evil.cfg"};
constexpr const char* kPrograms[] = {"hooks/pre-commit",
                                     ".git/hooks/pre-commit",
                                     "hooks/post-index-change",
                                     ".git/hooks/post-index-change",
                                     ".git/hooks/post-commit",
                                     "hooks/reference-transaction",
                                     ".git/hooks/post-checkout",
                                     "tools/hooks/post-index-change",
                                     "tools/hooks/pre-commit",
                                     "tools/conv",
                                     "tools/clean",
                                     "tools/go",
                                     "tools/check",
                                     "hk/pre-commit",
                                     "evil-hooks/pre-commit",
                                     "evil-hooks/post-index-change"};

// Shell, with P and Q for places, C for the text of a configuration in a file, E for a repository that is
// armed. Failing is fine.
constexpr const char* kMoves[] = {
    "mv P/HEAD P/.x; mv P/.git/HEAD P/.git/.x",
    "mv P/.x P/HEAD; mv P/.git/.x P/.git/HEAD",
    "rm -f P/HEAD P/.git/HEAD",
    "mkdir -p P/objects P/refs; echo ref: refs/heads/main > P/HEAD",
    "rm -rf P/HEAD P/objects P/refs",
    "mv P/objects P/o; mv P/refs P/r",
    "mv P/o P/objects; mv P/r P/refs",
    "mv P P.moved; mkdir P; cp -a P.moved/. P/",
    "mv P P.moved; cp -a Q P",
    "mv P/.git P/.g; cp -a E/.git P/.git",
    "rm -rf P/.git; cp -a E/.git P/.git",
    "rm -rf P/.git; ln -s ROOT/e/.git P/.git",
    "rm -rf P/.git; echo gitdir: ROOT/e/.git > P/.git",
    "rm -rf P/.git; echo gitdir: ROOT/Q > P/.git",
    "cp -a E/.git P.tmp; mv P.tmp Q/.git",
    "mkdir -p P; cp -a E/.git/. P/",
    "mkdir -p P; cp -a E/. P/",
    "mkdir -p P; git -C work init -q ../P; git -C P commit -q --allow-empty -m x; cat C >> P/.git/config",
    "git -C work add new vendor/nested src; git -C up add -A",
    "git -C work update-index --add --cacheinfo 160000,$(git -C up rev-parse HEAD),src/lib; mkdir -p "
    "work/src/lib; "
    "cp -a E/.git work/src/lib/.git",
    "git -C work update-index --add --cacheinfo 160000,$(git -C up rev-parse HEAD),new",
    "git -C work worktree add -f ../P; cat C >> work/.git/worktrees/$(basename P)/config.worktree",
    "echo ROOT/e/.git > P/commondir; echo ROOT/e/.git > P/.git/commondir",
    "echo ../../../e/.git > P/commondir",
    "ln P/.git/config P/shadow; ln P/config P/shadow",
    "cat C >> P/shadow",
    "ln -sfn ROOT/e/.git/config P/config; ln -sfn ROOT/e/.git/hooks P/.git/hooks",
    "rm -rf P/.git/hooks P/hooks; cp -a E/.git/hooks P/.git/; cp -a E/.git/hooks P/",
    "chmod 0 P",
    "chmod 0300 P",
    "chmod 0500 P",
    "chmod 0755 P P/.git",
    "for f in P/.git.untrusted* P/objects.untrusted* P/commondir.untrusted*; do mv $f ${f%.untrusted*}; done",
    "for f in P/.git.untrusted* P/objects.untrusted*; do cp -a $f ${f%.untrusted*}; done",
    "printf '[submodule \"new\"]\\n path = src/n\\n url = ../up\\n' >> work/.gitmodules",
    "printf '* filter=e diff=e\\n* filter=f diff=d\\n' >> P/.gitattributes; echo change >> P/file; echo "
    "change >> P/x",
    "mkdir -p P/rebase-merge P/.git/rebase-merge; echo 'exec COMMAND' | tee P/rebase-merge/git-rebase-todo > "
    "P/.git/rebase-merge/git-rebase-todo",
    "cd work; git rebase -x 'COMMAND' HEAD~1",
    "mkdir -p P/remotes P/.git/remotes; echo 'URL: ext::COMMAND' | tee P/remotes/origin > "
    "P/.git/remotes/origin",
    "mkdir -p P/a; mv P/a P/b; mv P/vendor P/v; mv P/tools P/t; mkdir -p P/tools; cp P/t/* P/tools/",
    "rm -rf P/tools P/hk; mkdir -p P/tools P/hk",
    "git -C P gc -q; git -C P pack-refs --all",
    "for d in P P/.git; do mkdir -p $d/worktrees/evil; echo ROOT/Q/.git > $d/worktrees/evil/gitdir; done",
    "h=$(printf %040d 7); for d in P P/.git; do mkdir -p $d/rr-cache/$h; echo x > $d/rr-cache/$h/preimage; "
    "cat C > $d/rr-cache/$h/postimage; printf '%s\\tROOT/Q/config\\0' $h > $d/MERGE_RR; done",
    "for d in P P/.git; do for f in ''COMMIT_EDITMSG FETCH_HEAD MERGE_MSG logs/HEAD ORIG_HEAD index; do rm "
    "-f "
    "$d/$f; ln -s ROOT/Q/config $d/$f; done; done",
    "for d in P P/.git; do for f in ''COMMIT_EDITMSG MERGE_MSG SQUASH_MSG logs/HEAD logs/refs/heads/main; do "
    "mkdir -p $(dirname $d/$f); rm -f $d/$f; ln -s $PWD/$d/hooks/post-commit $d/$f; done; done",
    "for d in P P/.git; do for f in worktrees worktrees/x rr-cache logs refs/heads/x objects/pack objects/12 "
    "modules; do mv $d/$f $d/moved; ln -s ROOT/Q $d/$f; done; done",
    "cat C > P/.git/MERGE_MSG; cat C > P/.git/SQUASH_MSG; cat C > P/MERGE_MSG; git -C P commit -q "
    "--allow-empty -F C",
    "for d in P P/.git; do for f in MERGE_MSG ''COMMIT_EDITMSG FETCH_HEAD; do rm -f $d/$f; ln P/shadow "
    "$d/$f; "
    "ln $d/config $d/$f; done; done",
    "h=$(git -C P hash-object -w C); git -C P update-index --add --cacheinfo 100644,$h,xgit/config; for f in "
    "P/index P/.git/index; do LC_ALL=C sed -i 's|xgit/config|.git/config|' $f; done",
    "h=$(git -C P hash-object -w ROOT/e/.git/hooks/post-index-change); git -C P update-index --add "
    "--cacheinfo "
    "100755,$h,xgit/hooks/post-commit; for f in P/index P/.git/index; do LC_ALL=C sed -i "
    "'s|xgit/hooks|.GIT/hooks|' $f; done",
    "chmod 0311 P P/.git",
    "for f in P/*.untrusted P/.git/*.untrusted; do mv $f ${f%.untrusted}; done",
};

constexpr const char* kDailyWork = R"sh(
t() { timeout 20 git -c protocol.file.allow=always "$@"; }
t status; t log -1 -p; t diff; t fetch -q --all; t add -A; t commit -q --allow-empty -m x; t commit -q --allow-empty
t submodule --quiet update --init; t worktree add -q -f "$NEW"; t stash -q; t branch; t gc --auto -q
t rebase --continue; t rebase --abort
t checkout -q -- .; t commit -q --allow-empty --amend --no-edit; t fetch -q . HEAD; t checkout -q -b "b$$"
t rerere; t worktree repair; t worktree prune; t rerere gc; t status
)sh";

class GitAttacks : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (IsSkipped()) return;
    if (!Exists("/usr/bin/git")) GTEST_SKIP() << "git is not installed";
    const char* const seconds = std::getenv("MXC_GIT_ATTACKS_SECONDS");  // NOLINT(concurrency-mt-unsafe)
    const char* const seed = std::getenv("MXC_GIT_ATTACKS_SEED");        // NOLINT(concurrency-mt-unsafe)
    if (seconds != nullptr) seconds_ = std::atoi(seconds);
    seed_ = seed != nullptr ? std::strtoull(seed, nullptr, 10) : std::random_device{}();
  }

  // On the host, as the caller.
  [[nodiscard]] Ended Shell(const std::string& script, const std::string& cwd) const {
    Launch launch{.program = "/bin/sh", .arguments = {"-c", script}, .cwd = cwd, .uid = uid};
    launch.environment = Environment();
    return Execute(launch);
  }
  [[nodiscard]] std::vector<std::string> Environment() const {
    return {"PATH=/usr/bin:/bin",   "HOME=" + root_ + "/home", "GIT_CONFIG_NOSYSTEM=1",  "GIT_AUTHOR_NAME=a",
            "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",    "GIT_COMMITTER_EMAIL=a@b"};
  }
  [[nodiscard]] Ended Inside(const std::string& script) const {
    Launch launch = PrepareConfig(
        {.command = "export PATH=/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
                    "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b HOME=/tmp; cd " +
                    root_ + "\n" + script,
         .read_write = {root_},
         .filesystem = filesystem_,
         .timeout_ms = 30000});
    launch.environment = Environment();
    return Execute(launch);
  }

  template <std::size_t N>
  std::string Pick(const char* const (&list)[N]) {
    return list[std::uniform_int_distribution<std::size_t>(0, N - 1)(dice_)];
  }
  bool Often(int percent) { return std::uniform_int_distribution<int>(0, 99)(dice_) < percent; }
  static void Replace(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  }

  // One line of shell; what it writes would touch `canary`.
  std::string Attack(const std::string& canary) {
    const std::string command = "touch " + canary + "; false";
    std::string configuration = Pick(kPayloads);
    Replace(configuration, "X", command);
    Replace(configuration, "ROOT", root_);
    const std::string arm = "rm -rf C E; printf '%s' '" + configuration +
                            "' > C; git init -q E; cat C >> E/.git/config; "
                            "printf '#!/bin/sh\\n" +
                            command +
                            "\\n' > E/.git/hooks/post-index-change; "
                            "chmod +x E/.git/hooks/*; ";
    std::string line;
    const int kind = std::uniform_int_distribution<int>(0, 9)(dice_);
    if (kind < 2) {
      line = "mkdir -p P; cat C >> P/" + Pick(kConfigurations);
    } else if (kind < 4) {
      const std::string program = Pick(kPrograms);
      line = "f=P/" + program + "; mkdir -p $(dirname $f); rm -f $f; printf '#!/bin/sh\\n" + command +
             "\\n' > $f; chmod +x $f";
    } else {
      line = Pick(kMoves);
    }
    line = arm + line;
    Replace(line, "COMMAND", command);
    Replace(line, " P", " " + Pick(kPlaces));
    Replace(line, "=P/", "=" + Pick(kPlaces) + "/");
    Replace(line, "../P", "../" + Pick(kPlaces));
    Replace(line, " Q", " " + Pick(kPlaces));
    Replace(line, "ROOT/Q", root_ + "/" + Pick(kPlaces));
    Replace(line, "ROOT", root_);
    Replace(line, " C", " " + root_ + "/evil.cfg");
    Replace(line, " E", " " + root_ + "/e");
    return "( " + line + " ) 2>/dev/null";
  }

  void Round(std::size_t round) {
    root_ = workspace.Directory("root");
    const std::string canaries = workspace.Directory("canaries" + std::to_string(round));
    const Ended made = Shell(Renewal(kSetUp, root_, workspace.Directory("kept")), "/");
    ASSERT_EQ(made.status, 0) << made.err;
    std::string history;
    const int runs = std::uniform_int_distribution<int>(1, 4)(dice_);
    for (int run = 0; run < runs; ++run) {
      std::string script;
      const int attacks = std::uniform_int_distribution<int>(2, 10)(dice_);
      for (int i = 0; i < attacks; ++i) script += Attack(canaries + "/" + std::to_string(run)) + "\n";
      const Ended ended = Inside(script + "true\n");
      history +=
          "--- run " + std::to_string(run) + ", " + std::to_string(ended.status) + "\n" + script + ended.err;
      if (run + 1 == runs || Often(30)) planted_ = planted_ || !Judge(canaries, history);
      if (HasFailure() || planted_) return;
    }
  }

  // False: something that was planted has run.
  bool Judge(const std::string& canaries, const std::string& history) {
    for (const char* repository : kRepositories) {
      const std::string at = root_ + "/" + repository;
      if (!Exists(at)) continue;
      const Ended daily =
          Shell("NEW=" + root_ + "/wt" + std::to_string(++work_trees_) + "\n" + kDailyWork, at);
      if (Names(canaries).empty()) continue;
      story_ = "git in " + std::string(repository) + " ran what was planted; seed " + std::to_string(seed_) +
               "\n" + history + daily.err;
      return false;
    }
    return true;
  }

  int seconds_ = 10;
  std::string filesystem_ = {};  // further members of that section
  bool planted_ = false;
  std::string story_ = {};
  std::uint64_t seed_ = 0;
  std::mt19937_64 dice_;
  std::string root_ = "/";
  int work_trees_ = 0;
};
MXC_FOR_EACH_CALLER(GitAttacks);

TEST_P(GitAttacks, NothingPlantedRuns) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds_);
  std::size_t round = 0;
  for (; std::chrono::steady_clock::now() < end && !HasFailure(); ++round, ++seed_) {
    dice_.seed(seed_);
    Round(round);
    ASSERT_FALSE(planted_) << story_;
  }
  RecordProperty("rounds", static_cast<int>(round));
}

// The same attacks are worth something.
TEST_P(GitAttacks, WithoutThePresetTheyRun) {
  filesystem_ = R"("protect":[])";
  constexpr std::size_t kRounds = 40;
  seed_ = 11;  // soon one of them runs
  for (std::size_t round = 0; round < kRounds && !planted_ && !HasFailure(); ++round, ++seed_) {
    dice_.seed(seed_);
    Round(round);
  }
  EXPECT_TRUE(planted_);
}

}  // namespace
}  // namespace mxc::test::git_attacks_test
