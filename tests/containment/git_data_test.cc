// What git on the host writes and deletes by name among its own data, and the index that it obeys: the real
// git after a command that has prepared them.
#include <iterator>
#include <thread>
#include <utility>

#include "tests/containment/containment.h"
#include "tests/containment/git_on_the_host.h"

namespace mxc::test::git_data_test {
namespace {

using testing::HasSubstr;

constexpr const char* kSetUp = R"sh(set -e
mkdir victim; echo precious > victim/file; touch -d '1 year ago' victim victim/file
git init -q grant/work && cd grant/work
git config user.email t@example.org; git config user.name t
echo one > file && git add . && git commit -qm one && git branch side
for hook in post-commit post-checkout; do printf '#!/bin/sh\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
git worktree add -q ../tree -b tree
git -c protocol.file.allow=always submodule --quiet add "$PWD" sub && git commit -qm sub
)sh";

struct Attack {
  const char* plant;  // in the sandbox, in the work tree; CANARY, VICTIM
  const char* host;
};

// As long as what it replaces: nothing else in the index changes, and git does not look at its checksum.
constexpr const char* kForge =
    "forge() { git rm -q -r --cached .; git update-index --add --cacheinfo 100755,$(git hash-object -w "
    "evil),$1;"
    " LC_ALL=C sed -i \"s|$1|$2|\" .git/index; };"
    "printf '#!/bin/sh\\ntouch CANARY\\n' > evil; printf '[core]\\n\\tfsmonitor = touch CANARY; false\\n' > "
    "conf;";

constexpr Attack kAttacks[] = {
    {"echo b > b; git add b; printf '[fix] it\\n\\n[core]\\n\\tfsmonitor = touch CANARY; false\\n' > m; git "
     "commit "
     "-qF m; "
     "rm .git/COMMIT_EDITMSG; ln -s config .git/COMMIT_EDITMSG",
     "git commit -qa --amend --no-edit"},
    {"echo touch CANARY > .git/MERGE_MSG; rm .git/COMMIT_EDITMSG; ln -s hooks/post-commit "
     ".git/COMMIT_EDITMSG",
     "echo c > file; git commit -qa --no-edit"},
    {"rm .git/logs/HEAD; ln -s ../hooks/post-checkout .git/logs/HEAD; b='x;touch${IFS}CANARY;'; git branch "
     "\"$b\"; "
     "git symbolic-ref HEAD \"refs/heads/$b\"",
     "git checkout -q side; git checkout -q side"},
    {"ln -s VICTIM .git/rr-cache; rm -rf .git/worktrees.x; mv .git/worktrees/tree/logs .git/wl; ln -s VICTIM "
     ".git/worktrees/tree/logs",
     "git rerere gc; git gc -q --prune=now"},
    {"ln -s VICTIM .git/worktrees/other; ln -s VICTIM .git/objects/12",
     "git worktree prune; git gc -q --prune=now"},
    {"ln -s ../../config .git/worktrees/tree/FETCH_HEAD; ln -s config .git/FETCH_HEAD; ln -s config "
     ".git/modules/sub/FETCH_HEAD",
     "git fetch -q . side; cd sub && git fetch -q . HEAD; cd ../../tree && git fetch -q . side"},
    {"rm .git/logs/HEAD; ln -s ../config .git/logs/HEAD; : > .git/HEAD.untrusted; seq -f "
     ".git/HEAD.untrusted-%g 2 1000 | xargs touch",
     "git commit -q --allow-empty -m x"},
    {"b=$(printf %0248d 0); git branch $b; ln -sf ../../../config .git/logs/refs/heads/$b",
     "git checkout -q $(printf %0248d 0); git commit -q --allow-empty -m x"},
    {"rm .git/logs/HEAD; ln -s ../config .git/logs/HEAD; chmod 0111 .git/logs; chmod 0 .git; chmod 0111 ..",
     "chmod u+rwx work; cd work; git commit -q --allow-empty -m x"},
    {"mkfifo .git/FETCH_HEAD", "timeout 5 git fetch -q . side"},
    // As git-lfs does: it follows links.
    {"mkdir -p .git/lfs/objects/ab/cd; ln -s VICTIM/file .git/lfs/objects/ab/cd/abcd",
     "if [ -e .git/lfs/objects/ab/cd/abcd ]; then touch CANARY; fi"},
    // As git's prompt does: the shell expands how far an operation has come.
    {"mkdir .git/rebase-merge; echo 5 > .git/rebase-merge/end; echo '$(touch CANARY)' > "
     ".git/rebase-merge/msgnum",
     "if [ -d .git/rebase-merge ]; then eval \"x=$(cat .git/rebase-merge/msgnum)\"; fi"},
    // Files that name paths: the command makes, git on the host would copy, overwrite or delete.
    {"h=$(printf %040d 7); mkdir -p .git/rr-cache/$h; echo x > .git/rr-cache/$h/preimage; printf "
     "'%s\\tVICTIM/file\\0' $h > .git/MERGE_RR",
     "echo c > file; git commit -qam c"},
    {"h=$(printf %040d 7); mkdir -p .git/rr-cache/$h; printf '<<<<<<<\n=======\n>>>>>>>\n' | tee VICTIM/file "
     "> "
     ".git/rr-cache/$h/preimage; echo x > .git/rr-cache/$h/postimage; ln -s VICTIM way; printf "
     "'%s\\tway/file\\0' $h > .git/MERGE_RR",
     "echo c > file; git commit -qam c"},
    {"mkdir .git/worktrees/evil; echo VICTIM/.git > .git/worktrees/evil/gitdir", "git worktree repair"},
    {"mkdir .git/gitweb; printf '#!/bin/sh\ntouch CANARY\n' > .git/gitweb/lighttpd; chmod +x "
     ".git/gitweb/lighttpd",
     "PATH=/usr/bin:/bin:/usr/lib/git-core; timeout 5 git instaweb --httpd=lighttpd; timeout 5 git instaweb "
     "stop"},
    {"git repack -adq; git multi-pack-index write; cd .git/objects/pack; p=$(ls *.idx); q=$(printf %s "
     "../../../../../victim/x.idx | head -c ${#p}); LC_ALL=C sed -i \"s|$p|$q\\x00................|\" "
     "multi-pack-index",
     "git multi-pack-index expire"},
    {"mv .git/index i; ln -s ../i .git/index", "git add -A"},
    {"forge xgit/hooks/pre-commit .git/hooks/pre-commit",
     "git checkout -- .; git commit -q --allow-empty -m x"},
    {"forge GIT-1/hooks/pre-commit GIT~1/hooks/pre-commit", "true"},
    {"mv conf evil; forge xgit/config .git/config", "git checkout -- ."},
    {"forge xx/victim/new ../victim/new", "git checkout -- ."},
    {"cp .git/index .git/i2; printf x >> .git/i2; mv .git/i2 .git/index", "git status"},
};

class GitData : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (IsSkipped()) return;
    if (!Exists("/usr/bin/git")) GTEST_SKIP() << "git is not installed";
  }

  [[nodiscard]] Ended Shell(const std::string& script, const std::string& cwd) const {
    Launch launch{.program = "/bin/sh", .arguments = {"-c", script}, .cwd = cwd, .uid = uid};
    launch.environment = Environment();
    return Execute(launch);
  }
  [[nodiscard]] std::vector<std::string> Environment() const {
    return {"PATH=/usr/bin:/bin",
            "HOME=" + workspace.Root(),
            "GIT_CONFIG_NOSYSTEM=1",
            "GIT_CONFIG_COUNT=1",
            "GIT_CONFIG_KEY_0=protocol.file.allow",
            "GIT_CONFIG_VALUE_0=always"};
  }
  [[nodiscard]] Ended Inside(const char* engine, const std::string& script,
                             const std::string& path = "/usr/bin:/bin") const {
    Launch launch = PrepareConfig(
        {.containment = engine,
         .command = "export PATH=/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1; cd " + root + "/grant/work; " + script,
         .read_write = {root + "/grant"}});
    launch.environment = Environment();
    launch.environment.front() = "PATH=" + path;
    return Execute(launch);
  }
  void Renew() {
    root = workspace.Directory("root");
    const Ended made = Shell(Renewal(kSetUp, root, workspace.Directory("kept")), "/");
    ASSERT_EQ(made.status, 0) << made.err;
  }
  [[nodiscard]] std::string Meant(std::string text) const {
    for (const auto& [word, path] : {std::pair{"CANARY", root + "/canary"}, {"VICTIM", root + "/victim"}}) {
      for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + path.size()))
        text.replace(at, std::string(word).size(), path);
    }
    return text;
  }

  std::string root;
};
MXC_FOR_EACH_CALLER(GitData);

TEST_P(GitData, NothingIsWrittenOrDeletedThroughIt) {
  for (std::size_t row = 0; row < std::size(kAttacks); ++row) {
    const Attack& attack = kAttacks[row];
    const char* const engine = EngineOfRow(row, uid);
    Renew();
    const std::string kept =
        "cat grant/work/.git/config grant/work/.git/modules/sub/config; ls "
        "grant/work/.git/hooks; cat grant/work/.git/hooks/post*; ls -R victim";
    const std::string before = Shell(kept, root).out;
    const Ended ended = Inside(engine, Meant(std::string(kForge) + attack.plant));
    EXPECT_THAT(ended.err, HasSubstr("' (now '")) << engine << attack.plant << ended.out << ended.err;
    const Ended daily =
        Shell(std::string(attack.host) + "; cd " + root + "/grant/work; git status", root + "/grant/work");
    EXPECT_EQ(Shell(kept, root).out, before) << engine << attack.plant << ended.err << daily.out << daily.err;
    EXPECT_FALSE(Exists(root + "/canary")) << engine << attack.plant << ended.err << daily.out << daily.err;
  }
}

// What a mount holds has no second name to be made: the kernel says EXDEV.
TEST_P(GitData, WhatIsHeldGetsNoSecondName) {
  for (const char* engine : Engines()) {
    Renew();
    const Ended ended = Inside(
        engine,
        "for f in config hooks/post-commit; do rm -f .git/COMMIT_EDITMSG; ln .git/$f "
        ".git/COMMIT_EDITMSG; done; ls .git/COMMIT_EDITMSG; ln file .git/x; ln .git/HEAD .git/FETCH_HEAD");
    EXPECT_EQ(ended.out, "") << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("/.git/FETCH_HEAD' (now '")) << engine;
  }
}

// git enters `d` by the name that the index has, and needs no list.
TEST_P(GitData, WhatCannotBeListedIsTakenOutOfTheWay) {
  for (const char* engine : Engines()) {
    Renew();
    const Ended ended = Inside(
        engine,
        Meant("git init -q d; git -C d config core.fsmonitor 'touch CANARY; false'; git -C d commit -q "
              "--allow-empty -m x; git add d; chmod 0300 d/.git; chmod 0311 d"));
    EXPECT_THAT(ended.err, HasSubstr(".untrusted'")) << engine << ended.out << ended.err;
    const Ended daily = Shell("git status; cd d && git status", root + "/grant/work");
    EXPECT_FALSE(Exists(root + "/canary")) << engine << ended.err << daily.out << daily.err;
    EXPECT_EQ(Shell("chmod -R u+rwX .", root).status, 0);
  }
}

// What stands above a grant is not the command's.
TEST_P(GitData, AGrantKeepsItsName) {
  for (const char* engine : Engines()) {
    for (const char* mode : {"0111", "0"}) {
      Renew();
      const std::string above = Shell("ls -A", root).out;
      const Ended ended = Inside(engine, "mkdir empty; chmod " + std::string(mode) + " .. .git empty");
      EXPECT_EQ(Shell("ls -A", root).out, above) << engine << mode << ended.err;
      EXPECT_EQ(Shell("ls -A; ls -A empty .git", root + "/grant/work").status, 0) << engine << mode;
      EXPECT_EQ(ended.err.find(".git/"), std::string::npos) << engine << mode << ended.err;
      // Root lists it anyway, and so the mode stays.
      const bool listed = uid == 0 || Inside(engine, "true").err.empty();
      EXPECT_TRUE(listed) << engine << mode;
    }
  }
}

// Indexes as git itself writes them, and links of the user's own.
// A grant of the file alone: what git writes there is compared like all else.
TEST_P(GitData, AFileThatIsGrantedAloneIsCompared) {
  for (const char* engine : Engines()) {
    Renew();
    const std::string index = root + "/grant/work/.git/index";
    Launch launch = PrepareConfig(
        {.containment = engine,
         .command = "export PATH=/usr/bin:/bin GIT_CONFIG_NOSYSTEM=1; cp -r " + root +
                    "/grant/work /tmp/c; cd /tmp/c; " + Meant(kForge) +
                    "forge xgit/hooks/pre-commit .git/hooks/pre-commit; cat .git/index > " + index,
         .read_only = {root + "/grant"},
         .read_write = {index}});
    launch.environment = Environment();
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("'" + index + "' (now '" + index + ".untrusted')")) << engine;
    EXPECT_FALSE(Exists(index)) << engine;
  }
}

TEST_P(GitData, HonestDataStay) {
  constexpr const char* kForms[] = {
      "git config index.version 4",
      "git config core.splitIndex true; git update-index --split-index",
      "git config core.untrackedCache true; git config feature.manyFiles true",
      "git sparse-checkout init --cone --sparse-index",
      "mv .git/logs ../logs; ln -s ../../logs .git/logs; mv .git/rr-cache ../rr; ln -s "
      "../../rr .git/rr-cache",
      "rm -rf .git; git init -q --object-format=sha256 .; git config user.name t; git "
      "config user.email t; git add -A"};
  for (std::size_t row = 0; row < std::size(kForms); ++row) {
    const char* const form = kForms[row];
    const char* const engine = EngineOfRow(row, uid);
    Renew();
    const Ended made = Shell(form, root + "/grant/work");
    EXPECT_EQ(made.status, 0) << form << made.err;
    const Ended ended = Inside(engine,
                               "echo new > new; echo two > file; git add new file; git commit -qm new; git "
                               "status --short; git gc -q; git branch next; git checkout -q next");
    EXPECT_EQ(ended.err.find("untrusted"), std::string::npos) << engine << form << made.err << ended.err;
    EXPECT_EQ(ended.status, 0) << engine << form << made.err << ended.out << ended.err;
    EXPECT_EQ(Shell("git fsck --no-progress && git status --short", root + "/grant/work").status, 0) << form;
  }
}

// A bare repository among the tracked files: once it is checked out, git obeys its configuration there.
TEST_P(GitData, WhatACheckoutMakesARepositoryIsTold) {
  constexpr const char* kStage =
      "stage() { git update-index --add --cacheinfo 100644,$(printf \"$2\" | git hash-object -w --stdin),$1; "
      "};";
  constexpr const char* kHead = "stage docs/x.git/HEAD 'ref: refs/heads/x\\n';";
  constexpr const char* kRest = "stage docs/x.git/objects/k ''; stage docs/x.git/refs/k '';";
  struct Form {
    const char* host;  // before the run
    std::string command;
  };
  const Form forms[] = {
      {"true", std::string(kHead) + kRest},
      {"true", std::string(kHead) + kRest + "git commit -qm x"},
      {"git config index.version 4", std::string(kHead) + kRest},
      {"stage() { mkdir -p docs/x.git; echo ref: refs/heads/x > $1; git add $1; }; stage docs/x.git/HEAD; "
       "git "
       "config core.splitIndex true; git update-index --split-index; rm -r docs",
       kRest},
      {"true", std::string(kHead) + "stage docs/x.git/refs/k ''; mkdir -p docs/x.git/objects"},
  };
  for (std::size_t row = 0; row < std::size(forms); ++row) {
    const char* const engine = EngineOfRow(row, uid);
    Renew();
    const std::string work = root + "/grant/work";
    const std::string told = "makes repositories, which git obeys: '" + work + "/docs/x.git'";
    ASSERT_EQ(Shell(forms[row].host, work).status, 0) << row;
    const Ended ended = Inside(engine, kStage + forms[row].command);
    EXPECT_EQ(ended.status, 0) << engine << row << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(told)) << engine << row;
    const Ended host = Shell("git checkout-index -qa; cd docs/x.git && git rev-parse --git-dir", work);
    EXPECT_EQ(host.out, ".\n") << "which git does " << row << host.err;
    // It is known by what stands there now.
    EXPECT_EQ(Inside(engine, "echo x > other; git add other").err.find(told), std::string::npos) << row;
  }
}

// git log runs `less`, wherever the caller's PATH finds it first.
TEST_P(GitData, ProgramsOnThePathOfTheCallerAreTold) {
  for (const char* engine : Engines()) {
    Renew();
    const std::string path = root + "/grant/bin:node_modules/.bin:/usr/bin:/bin";
    const Ended ended =
        Inside(engine,
               "mkdir -p ../bin node_modules/.bin; for p in ../bin/less node_modules/.bin/gpg data; do "
               "printf '#!/bin/sh\\n' > $p; chmod 755 $p; done",
               path);
    EXPECT_EQ(ended.status, 0) << engine << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("what programs of the host find by name is new or changed: '" + root +
                                     "/grant/bin/less', '" + root + "/grant/work/node_modules/.bin/gpg';"))
        << engine;
    EXPECT_EQ(Inside(engine, "../bin/less; cp ../bin/less other", path).err, "") << engine;
    EXPECT_THAT(Inside(engine, "echo x >> ../bin/less", path).err, HasSubstr("/grant/bin/less';")) << engine;
  }
}

// One command takes away what it has made before it is compared, the other, which found it there, brings it
// back. Within a git directory that is a rename, and what is moved stays the same file.
TEST_P(GitData, TwoCommandsHideNothingFromEachOther) {
  for (const char* engine : Engines()) {
    for (const char* git : {".git", "../bare.git"}) {
      Renew();
      const std::string enter = "cd " + std::string(git) + "; ";
      const std::string work = root + "/grant/work";
      EXPECT_EQ(Shell("git clone -q --bare . ../bare.git", work).status, 0);
      Ended first;
      std::thread other([&] {
        first = Inside(
            engine,
            Meant(enter +
                  "mkdir -p logs/evil; ln -s VICTIM/file logs/evil/x; echo VICTIM > objects/info/alternates; "
                  "touch planted; until [ -e seen ]; do sleep 0.05; done; mkdir objects/away away; "
                  "mv objects/info objects/away; mv logs/evil away; touch moved"));
        static_cast<void>(Shell(enter + "touch over", work));
      });
      EXPECT_EQ(Shell(enter + "until [ -e planted ]; do sleep 0.05; done", work).status, 0);
      const Ended second =
          Inside(engine, enter +
                             "touch seen; until [ -e over ]; do sleep 0.05; done; mv away/evil "
                             "logs; mv objects/away/info objects");
      other.join();
      EXPECT_EQ(Shell(enter + "cat moved && ! ls logs/evil/x && ! ls objects/info/alternates", work).status,
                0)
          << engine << git << first.err << second.err;
    }
  }
}

// A repository that one makes, takes apart and leaves, and the other puts together again.
TEST_P(GitData, NoRepositoryOfTwoCommandsIsLeftUntold) {
  for (const char* engine : Engines()) {
    Renew();
    const std::string work = root + "/grant/work";
    std::string err;
    std::thread other([&] {
      err = Inside(engine,
                   Meant("mkdir -p sub2/objects sub2/refs; echo ref: refs/heads/x > sub2/HEAD; printf "
                         "'[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch CANARY; "
                         "false\\n' > sub2/config; touch planted; until [ -e seen ]; do sleep 0.05; done; rm "
                         "-r sub2/refs sub2/commondir sub2/config.worktree sub2/hooks; rm planted"))
                .err;
      static_cast<void>(Shell("touch over", work));
    });
    EXPECT_EQ(Shell("until [ -e planted ]; do sleep 0.05; done", work).status, 0);
    const Ended second =
        Inside(engine, "touch seen; until [ -e over ]; do sleep 0.05; done; mkdir -p sub2/refs; rm seen");
    other.join();
    EXPECT_THAT(second.err, HasSubstr("git repositories were made or changed that have git run something: '" +
                                      work + "/sub2'"))
        << engine << err << second.err;
    EXPECT_EQ(Shell("rm over", work).status, 0);
    EXPECT_EQ(Inside(engine, "git status --short").err, "") << engine << "alone nothing of that is told";
  }
}

}  // namespace
}  // namespace mxc::test::git_data_test
