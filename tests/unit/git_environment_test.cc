// What the environment tells git and the programs it starts.
#include <gtest/gtest.h>

#include <string>

#include "policy/protect/git/environment.h"
#include "tests/unit/protect_text.h"

namespace mxc::git_environment_test {
namespace {

class GitEnvironmentProtection : public Protection {};

TEST_F(GitEnvironmentProtection, DirectoriesThatProgramsAreTakenFromAreHeld) {
  host_.AddFile("/srv/g/perl/Git.pm").AddDirectory("/srv/g/tools").AddDirectory("/srv/g/gpg");
  host_.SetEnvironment("GITPERLLIB", "/usr/share/perl5:/srv/g/perl:/srv/g/more");
  host_.SetEnvironment("MERGE_TOOLS_DIR", "/srv/g/tools").SetEnvironment("GNUPGHOME", "/srv/g/gpg");
  std::string gpg;  // which writes beside them
  for (const char* name : {"common", "dirmngr", "gpg-agent", "gpg", "gpgsm", "scdaemon"})
    gpg += "/srv/g/gpg/" + std::string(name) + ".conf file\n";
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), gpg + "/srv/g/more directory\n/srv/g/perl\n/srv/g/tools\n");
}

TEST_F(GitEnvironmentProtection, SoIsTheConfigurationOfGpgInTheCallersHome) {
  host_.AddDirectory("/home/ana/.gnupg", {.uid = 1000}).AddFile("/home/ana/.gnupg/gpg.conf");
  host_.AddFile("/home/ana/.gnupg/pubring.kbx").SetEnvironment("HOME", "/home/ana");
  std::string gpg;
  for (const char* name : {"common.conf file", "dirmngr.conf file", "gpg-agent.conf file", "gpg.conf",
                           "gpgsm.conf file", "scdaemon.conf file"})
    gpg += "/home/ana/.gnupg/" + std::string(name) + "\n";
  EXPECT_EQ(Git({.rw = {"/home/ana/.gnupg"}}), gpg);
  EXPECT_EQ(Git({.rw = {"/srv"}}), "");
}

TEST_F(GitEnvironmentProtection, WhatIsLoadedByItselfIsHeld) {
  host_.AddFile("/srv/g/a.so").AddDirectory("/srv/g/x");
  for (const char* const name : {"LD_PRELOAD", "LD_AUDIT", "BASH_ENV"}) {
    host_.SetEnvironment(name, "/srv/g/a.so");
    EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/a.so\n") << name;
    host_.SetEnvironment(name, "/srv/g/x/new");
    EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/x/new directory\n") << name;
    host_.SetEnvironment(name, "");
  }
  host_.SetEnvironment("VIMINIT", "source /srv/g/a.so");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/a.so\n");
  host_.SetEnvironment("LD_PRELOAD", "/usr/lib/a.so:/srv/g/a.so /srv/g/b.so");
  host_.SetEnvironment("LD_AUDIT", "/usr/lib/a.so:/srv/g/c.so");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "/srv/g/a.so\n/srv/g/b.so directory\n/srv/g/c.so directory\n");
}

TEST_F(GitEnvironmentProtection, EmptyDirectoriesNameNothing) {
  host_.AddDirectory("/srv/g");
  for (const char* const name : {"GITPERLLIB", "MERGE_TOOLS_DIR", "GNUPGHOME"})
    host_.SetEnvironment(name, ":");
  EXPECT_EQ(Git({.rw = {"/srv/g"}}), "");
  EXPECT_TRUE(GitEnvironment(host_).empty());
}

}  // namespace
}  // namespace mxc::git_environment_test
