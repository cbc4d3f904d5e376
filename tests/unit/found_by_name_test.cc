// Programs on the caller's PATH in grants, and what command lines may name: compared when the run has ended.
#include "policy/protect/found_by_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "policy/protect/git/config.h"
#include "policy/protect/git/places.h"
#include "policy/protect/git_review.h"
#include "tests/unit/protect_text.h"

namespace mxc::found_by_name_test {
namespace {

std::string Paths(std::string_view command, bool of_git = false) {
  return fmt::format("{}", fmt::join(*PathsInCommand(command, of_git), " "));
}

TEST(PathsInCommands, HoweverTheyAreJoined) {
  EXPECT_EQ(Paths("ssh -F/a/b"), "/a/b /b a/b ssh");
  EXPECT_EQ(Paths("ssh -Fconfig host"), "config host ssh");
  EXPECT_EQ(Paths("node -r./x y"), "./x /x node y");
  EXPECT_EQ(Paths("vim --rcfile=rc x"), "rc vim x");
  EXPECT_EQ(Paths("sh -c 'x;./y'"), "./y sh x x;./y");
  EXPECT_EQ(Paths("t\\ d/x"), "d/x t t d/x");
  EXPECT_EQ(Paths("to\"ols/x\""), "tools/x");
  EXPECT_EQ(Paths("\"$HOME\"/x ${PWD}/y"), "./y ~/x");
  EXPECT_EQ(Paths("git-lfs clean -- %f"), "clean git-lfs");
  EXPECT_EQ(Paths("less"), "less");
  EXPECT_EQ(Paths("-x --yz '' \"\" %f . .. ' '"), "");
  EXPECT_EQ(Paths("sh " + std::string(256, 'a')), "sh");
}

TEST(PathsInCommands, EveryWordMayBeAFile) {
  for (const char* command : {"sh p",
                              "timeout 5 sh p",
                              "bash -euo pipefail p",
                              "bash -o pipefail p",
                              "nice -n 5 bash p %f",
                              "python3 -W ignore p",
                              "perl -I lib p",
                              "flock lk sh p",
                              "env -u X sh p",
                              "sudo -u x p",
                              "uv run p",
                              "cat p | sh -s",
                              "cat<p|sh",
                              "sh -c \"$(cat p)\"",
                              "sh -c 'bash -o pipefail p'",
                              "X=p; sh $X",
                              "x --filter=p",
                              "x --style=file:p",
                              "x A=B=p",
                              "cat p|sh",
                              "(bash p)",
                              "java -cp a:p M",
                              "sh 'p'",
                              "!sh p",
                              "ssh -Fp",
                              "{ bash p; }",
                              "sh $D/p",
                              "x ${X:-./p}",
                              "x ~+/p"}) {
    EXPECT_TRUE(PathsInCommand(command, false)->contains("p")) << command;
    EXPECT_TRUE(NamesInCommandOf({.section = "filter", .value = command})->contains("p")) << command;
  }
  EXPECT_TRUE(PathsInCommand("sh 'a p'", false)->contains("a p"));
  EXPECT_TRUE(PathsInCommand("sh a@2", false)->contains("a@2"));
  EXPECT_TRUE(PathsInCommand("cd d; cat p | sh", false)->contains("d/p"));
  EXPECT_TRUE(PathsInCommand("env -C d bash -o x p", false)->contains("d/p"));
  EXPECT_TRUE(PathsInCommand("PATH=d:$PATH nice p", false)->contains("d/p"));
  EXPECT_FALSE(NamesInCommandOf({.section = "filter", .value = "p -x"})->contains("p")) << "searched on PATH";
}

// `log src/x` is a command of git's own: nothing there is executed.
TEST(PathsInCommands, OfGitsOwnOnlyWhatAConfigurationSays) {
  EXPECT_EQ(Paths("log --format=x/y src/x", true), "");
  EXPECT_EQ(Paths("-c alias.y=!tools/x y", true), "alias.y alias.y=!tools/x tools/x");
}

class FoundByName : public Protection {
 protected:
  void SetUp() override {
    Protection::SetUp();
    host_.SetWorkingDirectory("/srv/w").AddDirectory("/srv/w", {.uid = 1000});
    host_.AddFile("/usr/bin/less");
  }
  // What the comparison tells when `change` has happened to the host.
  template <typename Change>
  std::string After(const Change& change, const Lists& lists = {.rw = {"/srv/w"}}) {
    const Result<Policy> policy = With(lists);
    if (!policy) return RefusalOf(policy);
    change();
    std::string text;
    for (const GitChange& each : ReviewFoundByName(policy->git, host_)) text += each.path + "\n";
    return text;
  }
  // The same in whole reviews.
  template <typename Change>
  std::string Reviewed(const Change& change) {
    const Result<Policy> policy = With({.rw = {"/srv/w"}});
    if (!policy) return RefusalOf(policy);
    change();
    std::string text;
    std::string gap;
    for (const GitChange& each : ReviewGit(policy->git, host_, gap)) text += each.path + "\n";
    return text + gap;
  }
  void Write(const std::string& path) { host_.AddFile(path, "", {.uid = 1000, .changed = ++now_}); }

  std::uint64_t now_ = 1;
};

TEST_F(FoundByName, ProgramsOnThePathOfTheCaller) {
  host_.SetEnvironment("PATH", "/srv/w/early:/srv/w/bin:/usr/bin");
  Write("/srv/w/bin/tool");
  Write("/srv/w/bin/other");
  EXPECT_EQ(After([] {}), "");
  EXPECT_EQ(After([&] { Write("/srv/w/bin/tool"); }), "/srv/w/bin/tool\n");
  EXPECT_EQ(After([&] { Write("/srv/w/early/less"); }), "/srv/w/early/less\n");
  EXPECT_EQ(After([&] { host_.AddFile("/srv/w/bin/data", "", {.mode = 0644}); }), "");
  EXPECT_EQ(After([&] { Write("/srv/w/src/less"); }), "");
  EXPECT_EQ(After([&] { Write("/usr/bin/new"); }), "");
  EXPECT_EQ(After([&] { host_.Remove("/srv/w/bin/other"); }), "");
}

TEST_F(FoundByName, WhereverThePathLeads) {
  host_.SetEnvironment("PATH", "node_modules/.bin::/srv/w/current/bin:/home/ana/bin")
      .SetEnvironment("HOME", "/home/ana");
  AddRepository("/srv/w/a/.git");
  host_.AddSymlink("/srv/w/current", "v1").AddDirectory("/srv/w/v1/bin");
  host_.AddSymlink("/home/ana/bin/tool", "/srv/w/tool/cli");
  Write("/srv/w/tool/cli");
  EXPECT_EQ(After([&] { Write("/srv/w/node_modules/.bin/x"); }), "/srv/w/node_modules/.bin/x\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/node_modules/.bin/less"); }), "/srv/w/a/node_modules/.bin/less\n");
  EXPECT_EQ(After([&] { Write("/srv/w/less"); }), "/srv/w/less\n");
  EXPECT_EQ(After([&] { Write("/srv/w/tool/cli"); }), "/home/ana/bin/tool\n");
  Write("/srv/w/v2/bin/x");
  EXPECT_EQ(After([&] { host_.Remove("/srv/w/current").AddSymlink("/srv/w/current", "v2"); }),
            "/srv/w/current/bin/x\n");
}

// bash expands it, dash does not.
TEST_F(FoundByName, ATildeInThePath) {
  host_.SetEnvironment("HOME", "/srv/w/home").SetEnvironment("PATH", "/usr/bin:~/bin:~");
  EXPECT_EQ(After([&] { Write("/srv/w/home/bin/x"); }), "/srv/w/home/bin/x\n");
  EXPECT_EQ(After([&] { Write("/srv/w/home/x"); }), "/srv/w/home/x\n");
}

TEST_F(FoundByName, DirectoriesThatEachProcessFindsElsewhereAreRefused) {
  host_.AddDirectory("/proc/self").AddSymlink("/proc/self/cwd", "/srv/w");
  for (const char* const variable : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH"}) {
    host_.SetEnvironment(variable, "/usr/bin:/proc/self/cwd/b");
    EXPECT_THAT(After([] {}), testing::HasSubstr(std::string(variable) + " names '/proc/self/cwd/b'"));
    host_.SetEnvironment(variable, "/usr/bin");
  }
}

TEST_F(FoundByName, WhatVariablesHaveLoaded) {
  AddRepository("/srv/w/a/.git");
  const auto with = [&](const char* variable, const char* value, const std::string& written) {
    host_.SetEnvironment(variable, value);
    Write("/srv/w/x/old.so");
    std::string told = After([&] { Write(written); });
    host_.SetEnvironment(variable, "").Remove("/srv/w/x");
    return told;
  };
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/srv/w/x", "/srv/w/x/libz.so.1"), "/srv/w/x/libz.so.1\n");
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/usr/lib;/srv/w/x", "/srv/w/x/old.so"), "/srv/w/x/old.so\n");
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/srv/w/x", "/srv/w/x/glibc-hwcaps/x86-64-v3/libz.so.1"),
            "/srv/w/x/glibc-hwcaps/x86-64-v3/libz.so.1\n");
  EXPECT_EQ(with("LD_LIBRARY_PATH", "", "/srv/w/libz.so.1"), "");
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/usr/lib:", "/srv/w/a/libz.so.1"), "/srv/w/a/libz.so.1\n")
      << "an empty entry is where git runs";
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/srv/w/x", "/srv/w/x/notes"), "");
  EXPECT_EQ(with("GCONV_PATH", "/srv/w/x", "/srv/w/x/gconv-modules"), "/srv/w/x/gconv-modules\n");
  EXPECT_EQ(with("GCONV_PATH", "/srv/w/x", "/srv/w/x/gconv-modules.d/a.conf"),
            "/srv/w/x/gconv-modules.d/a.conf\n");
  EXPECT_EQ(with("NODE_OPTIONS", "--max-old-space-size=4096 --require=/srv/w/x/a.js", "/srv/w/x/a.js"),
            "/srv/w/x/a.js\n");
  EXPECT_EQ(with("JAVA_TOOL_OPTIONS", "-javaagent:/srv/w/x/a.jar", "/srv/w/x/a.jar"), "/srv/w/x/a.jar\n");
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/srv/w/x/$LIB", "/srv/w/x/lib/x86_64-linux-gnu/libz.so.1"),
            "/srv/w/x/lib/x86_64-linux-gnu/libz.so.1\n");
  EXPECT_EQ(with("LD_LIBRARY_PATH", "/srv/w/x", "/srv/w/x/tls/x86_64/libz.so.1"),
            "/srv/w/x/tls/x86_64/libz.so.1\n");
  EXPECT_EQ(with("LD_PRELOAD", "/usr/lib/a.so /srv/w/x/${PLATFORM}.so", "/srv/w/x/x86_64.so"),
            "/srv/w/x/x86_64.so\n");
  EXPECT_EQ(with("NODE_OPTIONS", "--require /srv/w/x/h", "/srv/w/x/h.js"), "/srv/w/x/h.js\n");
  EXPECT_EQ(with("HGRCPATH", "/srv/w/x", "/srv/w/x/a.rc"), "/srv/w/x/a.rc\n");
  EXPECT_EQ(with("XDG_CONFIG_HOME", "/srv/w/x", "/srv/w/x/husky/init.sh"), "/srv/w/x/husky\n");
  EXPECT_EQ(with("PYTHONUSERBASE", "/srv/w/x", "/srv/w/x/lib/python3.11/site-packages/a.pth"),
            "/srv/w/x/lib/python3.11/site-packages/a.pth\n");
  EXPECT_EQ(with("PERLLIB", "/srv/w/x", "/srv/w/x/5.36/x86_64/strict.pmc"),
            "/srv/w/x/5.36/x86_64/strict.pmc\n");
  EXPECT_EQ(with("PERL5LIB", "/srv/w/x", "/srv/w/x/5.36/x86_64/auto/Term/ReadKey/ReadKey.so"),
            "/srv/w/x/5.36/x86_64/auto/Term/ReadKey/ReadKey.so\n");
  EXPECT_EQ(with("OPENSSL_CONF", "/srv/w/x/ssl.cnf", "/srv/w/x/ssl.cnf"), "/srv/w/x/ssl.cnf\n");
  EXPECT_EQ(with("LG_CONFIG_FILE", "/a,/srv/w/x/lg.yml", "/srv/w/x/lg.yml"), "/srv/w/x/lg.yml\n");
  EXPECT_EQ(with("PERL5LIB", "/srv/w/x", "/srv/w/x/strict.pm"), "/srv/w/x/strict.pm\n");
  EXPECT_EQ(with("PERL5LIB", "/srv/w/x", "/srv/w/x/File/Spec.pm"), "/srv/w/x/File/Spec.pm\n");
  EXPECT_EQ(with("PYTHONPATH", "/srv/w/x", "/srv/w/x/sitecustomize.py"), "/srv/w/x/sitecustomize.py\n");
  EXPECT_EQ(with("PYTHONPATH", "/srv/w/x", "/srv/w/x/usercustomize/__init__.py"),
            "/srv/w/x/usercustomize/__init__.py\n");
  EXPECT_EQ(with("EMACSLOADPATH", "/srv/w/x", "/srv/w/x/site-start.elc"), "/srv/w/x/site-start.elc\n");
  EXPECT_EQ(with("EMACSLOADPATH", "/srv/w/x", "/srv/w/x/site-start.so"), "/srv/w/x/site-start.so\n");
  EXPECT_EQ(with("PYTHONUSERBASE", "/srv/w/x",
                 "/srv/w/x/lib/python3.11/site-packages/__pycache__/sitecustomize.cpython-311.pyc"),
            "/srv/w/x/lib/python3.11/site-packages/__pycache__/sitecustomize.cpython-311.pyc\n");
}

// Whatever of a module Python takes first.
TEST_F(FoundByName, WhatPythonLoadsWhenItStarts) {
  Write("/srv/w/x/sitecustomize.py");
  Write("/srv/w/x/__pycache__/sitecustomize.cpython-311.pyc");
  Write("/srv/w/x/__pycache__/app.cpython-311.pyc");
  host_.SetEnvironment("PYTHONPATH", "/usr/lib/x:/srv/w/x:/srv/w/new");
  EXPECT_EQ(After([] {}), "");
  for (const char* loaded :
       {"sitecustomize.py", "sitecustomize.pyc", "sitecustomize.so", "sitecustomize.abi3.so",
        "usercustomize.cpython-311-x86_64-linux-gnu.so", "__pycache__/sitecustomize.cpython-311.pyc",
        "__pycache__/usercustomize.cpython-312.opt-1.pyc", "sitecustomize/__init__.pyc",
        "sitecustomize/__init__.cpython-311-x86_64-linux-gnu.so",
        "sitecustomize/__pycache__/__init__.cpython-311.pyc", "sitecustomize/deep/er/x.py",
        "encodings/__init__.py", "encodings/__pycache__/__init__.cpython-311.pyc", "os.py"}) {
    for (const std::string entry : {"/srv/w/x/", "/srv/w/new/"}) {
      const std::string path = entry + loaded;
      const bool kept =
          path == "/srv/w/x/sitecustomize.py" || path.ends_with("/sitecustomize.cpython-311.pyc");
      EXPECT_EQ(After([&] { Write(path); }), path + "\n");
      if (!kept || entry == "/srv/w/new/") host_.Remove(path);
    }
  }
  for (const char* other : {"app.py", "__pycache__/app.cpython-311.pyc", "sitecustomize.txt",
                            "site/index.html", "os.rs", "__pycache__/x/sitecustomize.cpython-311.pyc"})
    EXPECT_EQ(After([&] { Write(std::string("/srv/w/x/") + other); }), "") << other;
}

TEST_F(FoundByName, ArchivesThatPythonLoadsFrom) {
  Write("/srv/w/lib.zip");
  host_.SetEnvironment("PYTHONPATH", "/srv/w/lib.zip:/srv/w/new.zip/sub:/srv/w/x");
  EXPECT_EQ(After([] {}), "");
  EXPECT_EQ(After([&] { Write("/srv/w/lib.zip"); }), "/srv/w/lib.zip\n");
  EXPECT_EQ(After([&] { Write("/srv/w/new.zip"); }), "/srv/w/new.zip\n");
  EXPECT_EQ(After([&] { Write("/srv/w/new.zip"); }), "/srv/w/new.zip\n");
  EXPECT_EQ(After([&] { host_.AddDirectory("/srv/w/x/sub"); }), "") << "a directory is none";
  EXPECT_EQ(After([&] { host_.AddDirectory("/srv/w/x"); }, {.rw = {"/srv/w/lib.zip"}, .ro = {"/srv/w"}}), "");
  EXPECT_EQ(After([&] { Write("/srv/w/lib.zip"); }, {.rw = {"/srv/w/lib.zip"}, .ro = {"/srv/w"}}),
            "/srv/w/lib.zip\n");
}

TEST_F(FoundByName, WherePythonKeepsWhatItHasCompiled) {
  host_.SetEnvironment("PYTHONPYCACHEPREFIX", "/srv/w/cache");
  Write("/srv/w/cache/usr/lib/python3.11/site.cpython-311.pyc");
  EXPECT_EQ(After([] {}), "");
  EXPECT_EQ(After([&] { Write("/srv/w/cache/usr/lib/python3.11/site.cpython-311.pyc"); }),
            "/srv/w/cache/usr/lib/python3.11/site.cpython-311.pyc\n");
}

// `git init --bare` keeps what it finds.
TEST_F(FoundByName, HooksWhereThereIsNoRepository) {
  AddRepository("/srv/w/a/.git");
  Write("/srv/w/old/hooks/update");
  host_.AddFile("/srv/w/old/hooks/pre-push", "", {.mode = 0644});
  EXPECT_EQ(Reviewed([] {}), "");
  EXPECT_EQ(Reviewed([&] { Write("/srv/w/new.git/hooks/post-receive"); }),
            "/srv/w/new.git/hooks/post-receive\n");
  EXPECT_EQ(Reviewed([&] { Write("/srv/w/old/hooks/update"); }), "/srv/w/old/hooks/update\n");
  EXPECT_EQ(Reviewed([&] { Write("/srv/w/old/hooks/pre-push"); }), "/srv/w/old/hooks/pre-push\n") << "chmod";
  EXPECT_EQ(Reviewed([&] {
              Write("/srv/w/b/x/post-receive");
              host_.AddSymlink("/srv/w/b/hooks", "x");
            }),
            "/srv/w/b/hooks/post-receive\n");
  EXPECT_EQ(Reviewed([&] {
              Write("/srv/w/src/hooks/useState");
              host_.AddFile("/srv/w/src/hooks/pre-commit", "", {.mode = 0644});
              Write("/srv/w/src/hooks/pre-commit.py");
            }),
            "");
  EXPECT_EQ(Reviewed([&] {
              AddRepository("/srv/w/clone/.git");
              Write("/srv/w/clone/hooks/pre-commit");
            }),
            "/srv/w/clone/.git\n")
      << "told as a whole";
}

TEST_F(FoundByName, WhatCommandLinesOfAConfigurationMayName) {
  AddRepository("/srv/w/a/.git");
  host_.AddFile(
      "/srv/w/a/.git/config",
      "[core]\n sshCommand = ssh -F/srv/w/ssh -Fother\n[diff \"d\"]\n textconv = node -r./x.js y.js\n"
      "[alias]\n l = log --format=x src/x\n");
  Write("/srv/w/a/x.js");
  EXPECT_EQ(After([] {}), "");
  EXPECT_EQ(After([&] { Write("/srv/w/a/x.js"); }), "/srv/w/a/x.js\n");
  EXPECT_EQ(After([&] { Write("/srv/w/ssh"); }), "/srv/w/ssh\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/other"); }), "/srv/w/a/other\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/src/x"); }), "");
  EXPECT_EQ(After([&] { Write("/srv/w/other"); }), "");
}

TEST_F(FoundByName, WordsOfCommandLinesAreFilesWhereGitRunsThem) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/b.git");
  host_.AddFile("/srv/w/a/.git/config", "[filter \"x\"]\n clean = bash -euo pipefail clean.sh %f\n");
  host_.AddFile("/srv/w/b.git/config", "[core]\n bare = true\n sshCommand = timeout 5 sh p\n");
  Write("/srv/w/a/clean.sh");
  host_.AddDirectory("/srv/w/b.git/p");
  EXPECT_EQ(After([] {}), "");
  EXPECT_EQ(After([&] { Write("/srv/w/a/clean.sh"); }), "/srv/w/a/clean.sh\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/pipefail"); }), "/srv/w/a/pipefail\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/f"); }), "");
  EXPECT_EQ(After([&] { Write("/srv/w/b.git/p/x"); }), "/srv/w/b.git/p/x\n") << "beside git's own";
  host_.Remove("/srv/w/b.git/p/x");
  EXPECT_EQ(After([&] {
              host_.Remove("/srv/w/b.git/p");
              Write("/srv/w/b.git/p");
            }),
            "/srv/w/b.git/p\n");
  EXPECT_EQ(After([&] { Write("/srv/w/b.git/sh"); }), "/srv/w/b.git/sh\n");
}

TEST_F(FoundByName, WhatProgramsReadInTheCallersHome) {
  host_.SetEnvironment("HOME", "/home/ana").AddDirectory("/home/ana", {.uid = 1000});
  const Lists home = {.rw = {"/home/ana"}};
  EXPECT_EQ(After([&] { Write("/home/ana/.ssh/config"); }, home), "/home/ana/.ssh/config\n");
  EXPECT_EQ(After([&] { Write("/home/ana/.lesskey"); }, home), "/home/ana/.lesskey\n");
  EXPECT_EQ(After([&] { Write("/home/ana/.subversion/config"); }, home), "/home/ana/.subversion/config\n");
  EXPECT_EQ(After([&] { Write("/home/ana/.gnupg/gpg.conf"); }, home), "/home/ana/.gnupg/gpg.conf\n")
      << "held where its directory is there";
  EXPECT_EQ(After([&] { Write("/home/ana/.gnupg/gpg.conf-2.2"); }, home), "/home/ana/.gnupg/gpg.conf-2.2\n")
      << "which gpg 2.2 obeys instead of gpg.conf";
  EXPECT_EQ(After([&] { Write("/home/ana/.gnupg/pubring.kbx"); }, home), "");
}

TEST_F(FoundByName, WhatEditorsReadInTheCallersHome) {
  host_.SetEnvironment("HOME", "/home/ana").AddDirectory("/home/ana", {.uid = 1000});
  Write("/home/ana/.vim/plugin/old.vim");
  const Lists home = {.rw = {"/home/ana"}};
  EXPECT_EQ(After([] {}, home), "");
  EXPECT_EQ(After([&] { Write("/home/ana/.vimrc"); }, home), "/home/ana/.vimrc\n");
  EXPECT_EQ(After([&] { Write("/home/ana/.selected_editor"); }, home), "/home/ana/.selected_editor\n");
  EXPECT_EQ(After([&] { Write("/home/ana/.vim/plugin/new.vim"); }, home), "/home/ana/.vim/plugin/new.vim\n");
  for (const std::string compiled : {"/home/ana/.emacs.elc", "/home/ana/.cache/nvim/luac"})
    EXPECT_EQ(After([&] { Write(compiled); }, home), compiled + "\n");
  EXPECT_EQ(After([&] { Write("/home/ana/.config/nvim/init.lua"); }, home), "/home/ana/.config/nvim\n")
      << "a new directory";
  EXPECT_EQ(After(
                [&] {
                  for (int i = 0; i < 20; ++i) Write("/home/ana/.vim/pack/p" + std::to_string(i));
                },
                home),
            "/home/ana/.vim\n")
      << "many at once";
}

TEST_F(FoundByName, WhatStandsBesideGitsOwnFiles) {
  AddRepository("/srv/w/a/.git");
  Write("/srv/w/a/.git/crypt/tool");
  EXPECT_EQ(
      After([&] {
        for (const char* git : {"FETCH_HEAD", "ORIG_HEAD.lock", "COMMIT_EDITMSG~", "index", "packed-refs.new",
                                "sharedindex.ab", "lfs/tmp/x", "annex/x", "fsmonitor--daemon/x", "gc.log",
                                "rr-cache/x", "shallow.lock", "info/exclude", "logs/HEAD"})
          Write(std::string("/srv/w/a/.git/") + git);
      }),
      "");
  EXPECT_EQ(After([&] { Write("/srv/w/a/.git/lazygit.yml"); }), "/srv/w/a/.git/lazygit.yml\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/.git/crypt/tool"); }), "/srv/w/a/.git/crypt/tool\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/.git/more/x"); }), "/srv/w/a/.git/more/x\n");
  host_.AddDirectory("/srv/w/project/objects").AddDirectory("/srv/w/project/refs");
  EXPECT_EQ(After([&] { Write("/srv/w/project/x"); }), "") << "git takes it for no repository";
}

// The comparison comes before the names are let go of.
TEST_F(FoundByName, NotWhatHoldsAMissingNameThere) {
  AddRepository("/srv/w/a/.git");
  host_.AddFile("/srv/w/a/.git/config", "[core]\n attributesFile = attrs\n hooksPath = more\n");
  const auto hold = [&] {
    host_.AddFile("/srv/w/a/.git/attrs", "", {.mode = kPlaceholderFileMode, .changed = ++now_})
        .AddDirectory("/srv/w/a/.git/more", {.mode = kPlaceholderDirectoryMode});
  };
  EXPECT_EQ(Reviewed(hold), "");
  host_.Remove("/srv/w/a/.git/attrs").Remove("/srv/w/a/.git/more");
  EXPECT_EQ(Reviewed([&] { Write("/srv/w/a/.git/attrs"); }), "/srv/w/a/.git/attrs\n") << "told once";
}

TEST_F(FoundByName, NotAgainWhatIsSetAside) {
  AddRepository("/srv/w/a/.git");
  EXPECT_EQ(Reviewed([&] { host_.AddSymlink("/srv/w/a/.git/l", "/etc"); }), "/srv/w/a/.git/l\n");
  host_.Remove("/srv/w/a/.git/l");
  EXPECT_EQ(Reviewed([&] { host_.AddSymlink("/srv/w/a/.git/more/l", "/etc"); }), "/srv/w/a/.git/more/l\n");
}

TEST_F(FoundByName, WhereAnExpansionSaysWhereItStands) {
  AddRepository("/srv/w/a/.git");
  host_.AddFile("/srv/w/a/.git/config",
                "[filter \"x\"]\n clean = \"\\\"$(git rev-parse --git-dir)/crypt\\\"/deep clean\"\n"
                "[alias]\n v = \"!\\\"$D\\\"/var\"\n c = \"!cd $(x) && ./entered\"\n"
                " p = \"!PATH=$(x)/y:$PATH searched\"\n n = \"!echo $(date) plain\"\n");
  for (const char* name : {"deep", "var", "entered", "searched"})
    EXPECT_EQ(After([&] { Write(std::string("/srv/w/a/some/where/") + name); }),
              std::string("/srv/w/a/some/where/") + name + "\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/.git/info/deep"); }), "/srv/w/a/.git/info/deep\n");
  EXPECT_EQ(After([&] { Write("/srv/w/a/some/where/plain"); }), "");
  EXPECT_EQ(After([&] { Write("/srv/w/a/some/where/clean"); }), "");
}

TEST_F(FoundByName, WhatOtherVersionControlObeys) {
  Write("/srv/w/.hg/hgrc");
  host_.AddDirectory("/srv/w/j/.jj/repo");
  Write("/srv/w/f/.fslckout");
  EXPECT_THAT(Git({.rw = {"/srv/w"}}), testing::HasSubstr("/srv/w/.hg/hgrc\n"));
  EXPECT_THAT(Git({.rw = {"/srv/w"}}), testing::HasSubstr("/srv/w/.hg/hgrc-not-shared file\n"));
  EXPECT_EQ(After([&] { Write("/srv/w/.hg/sharedpath"); }), "/srv/w/.hg/sharedpath\n");
  EXPECT_EQ(After([&] { Write("/srv/w/.hg/store/journal"); }), "/srv/w/.hg/store/journal\n");
  EXPECT_EQ(After([&] { Write("/srv/w/.hg/dirstate"); }), "");
  EXPECT_EQ(After([&] { Write("/srv/w/j/.jj/repo/config.toml"); }), "/srv/w/j/.jj/repo/config.toml\n");
  EXPECT_EQ(After([&] { Write("/srv/w/j/.jj/repo/op_store/x"); }), "");
  EXPECT_EQ(After([&] { Write("/srv/w/f/.fslckout"); }), "/srv/w/f/.fslckout\n");
}

// `hg commit` needs `.hg` alone.
TEST_F(FoundByName, WhatOtherVersionControlObeysWhereItIsGrantedByItself) {
  Write("/srv/w/.hg/hgrc");
  host_.AddDirectory("/srv/w/.jj/repo");
  const Lists lists{.rw = {"/srv/w/.hg", "/srv/w/.jj/repo"}, .ro = {"/srv/w"}};
  EXPECT_THAT(Git(lists), testing::HasSubstr("/srv/w/.hg/hgrc\n"));
  EXPECT_EQ(After([&] { Write("/srv/w/.hg/sharedpath"); }, lists), "/srv/w/.hg/sharedpath\n");
  EXPECT_EQ(After([&] { Write("/srv/w/.jj/repo/config.toml"); }, lists), "/srv/w/.jj/repo/config.toml\n");
}

// Placeholders that stand there at the end are nothing of the command's.
TEST_F(FoundByName, OtherVersionControlThroughALink) {
  Write("/srv/w/data/hgrc");
  host_.AddSymlink("/srv/w/.hg", "data");
  EXPECT_THAT(Git({.rw = {"/srv/w"}}), testing::HasSubstr("/srv/w/data/sharedpath directory\n"));
  EXPECT_EQ(After([&] { host_.AddDirectory("/srv/w/data/sharedpath"); }), "");
}

// A directory with casefold lists `.g<U+200C>it`, and finds it as `.git`.
TEST_F(FoundByName, NamesThatADirectoryFoldsToGits) {
  AddRepository("/srv/w/.git");
  host_.AddAlias("/srv/w/.g\u200Cit", "/srv/w/.git").AddDirectory("/srv/w/\u00e4");
  std::vector<DirectoryEntry> entries = {{.name = "\u00e4", .type = FileType::kDirectory},
                                         {.name = ".g\u200Cit", .type = FileType::kDirectory}};
  GitPlaces places;
  places.Visit("/srv/w", entries, host_);
  ASSERT_EQ(places.WorkTrees().size(), 1U);
  EXPECT_EQ(places.WorkTrees().front().git, "/srv/w/.git");
  EXPECT_EQ(entries.front().name, "\u00e4");
}

TEST_F(FoundByName, BelowThePrefixOfGit) {
  AddRepository("/srv/w/a/.git");
  host_.AddFile("/srv/w/a/.git/config", "[include]\n path = %(prefix)/../srv/w/a/inc\n");
  host_.AddFile("/srv/w/a/inc");
  EXPECT_THAT(Git({.rw = {"/srv/w"}}), testing::HasSubstr("/srv/w/a/inc\n"));
}

TEST_F(FoundByName, WhatTheConfigurationOfSshIncludes) {
  host_.SetEnvironment("HOME", "/home/ana").AddDirectory("/home/ana", {.uid = 1000});
  host_.SetEnvironment("CONF", "/home/ana/conf");
  host_.AddFile("/home/ana/.ssh/config",
                "Host x\n\tinclude = config.d/* \"~/ssh other\" ${CONF}/a %d/b\nIdentityFile key\n");
  Write("/home/ana/.ssh/config.d/work");
  host_.AddFile("/home/ana/.ssh/config.d/home", "Include ../more/*.conf\nInclude config.d/*\n");
  const Lists home = {.rw = {"/home/ana"}};
  const auto found = [&](const std::string& path) {
    return After([&] { Write("/home/ana/" + path); }, home);
  };
  EXPECT_EQ(After([] {}, home), "");
  for (const char* path :
       {".ssh/config.d/work", ".ssh/config.d/new", "ssh other", "conf/a", "b", "more/x.conf"})
    EXPECT_THAT(found(path), testing::HasSubstr(path));
  EXPECT_EQ(found(".ssh/key"), "");
  EXPECT_EQ(found(".ssh/known_hosts"), "");
  EXPECT_EQ(After([&] { Write("/home/ana/.ssh/config.d/new"); }, {.rw = {"/srv/w"}}), "") << "not granted";
  EXPECT_EQ(After([&] { Write("/home/ana/.ssh/config.d/third"); }, {.rw = {"/home/ana/.ssh/config.d"}}),
            "/home/ana/.ssh/config.d/third\n");
}

// Two commands could take what is known for a while and bring it back.
TEST_F(FoundByName, LinksAndAlternatesOfBeforeKeepTheirPlace) {
  AddRepository("/srv/w/a/.git");
  host_.AddFile("/srv/w/a/.git/objects/info/alternates", "/srv/store\n");
  host_.AddSymlink("/srv/w/a/.git/logs/refs/x", "/srv/logs");
  EXPECT_EQ(Git({.rw = {"/srv/w"}}), Usual("/srv/w/a/.git") + "/srv/w/a/.git/logs/refs writable\n" +
                                         "/srv/w/a/.git/objects/info/alternates\n");
}

}  // namespace
}  // namespace mxc::found_by_name_test
