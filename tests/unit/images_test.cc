// Where images are looked for, and what is said when there is none.
#include "images/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_host.h"

namespace mxc::images_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Images, RootsPlacesAreChosenByNobody) {
  FakeHost host;
  host.SetCaller(0, 0).SetEnvironment("HOME", "/home/me");
  const ImagePlaces places = ImagePlacesOf(host);
  EXPECT_THAT(places.directories, ElementsAre("/var/lib/mxc-exec/images"));
  EXPECT_THAT(places.archives, ElementsAre("/var/cache/lxc/download"));
  EXPECT_EQ(places.unpacked, "/var/cache/mxc-exec/images");
}

TEST(Images, AUsersOwnComeFirst) {
  FakeHost host;
  host.SetEnvironment("HOME", "/home/me");
  const ImagePlaces places = ImagePlacesOf(host);
  EXPECT_THAT(places.directories,
              ElementsAre("/home/me/.local/share/mxc-exec/images", "/var/lib/mxc-exec/images"));
  EXPECT_THAT(places.archives, ElementsAre("/home/me/.cache/lxc/download", "/var/cache/lxc/download"));
  EXPECT_EQ(places.unpacked, "/home/me/.cache/mxc-exec/images");
  FakeHost homeless;
  EXPECT_EQ(ImagePlacesOf(homeless).unpacked, "");
}

TEST(Images, ADirectoryIsTakenAsItIs) {
  FakeHost host;
  host.AddDirectory("/var/lib/mxc-exec/images/alpine/3.23");
  EXPECT_EQ(*FindImage(host, {"alpine", "3.23"}), "/var/lib/mxc-exec/images/alpine/3.23");
}

// Whoever put it there would choose which files of the host are shown.
TEST(Images, ALinkIsNoImage) {
  for (const std::string link : {"alpine", "alpine/3.23"}) {
    FakeHost host;
    host.AddDirectory("/srv/3.23")
        .AddSymlink("/var/lib/mxc-exec/images/" + link, link.size() > 6 ? "/" : "/srv");
    const Result<std::string> image = FindImage(host, {"alpine", "3.23"});
    ASSERT_FALSE(image.ok()) << link;
    EXPECT_EQ(image.error().code, ErrorCode::kConflict);
    EXPECT_THAT(image.error().message,
                HasSubstr("'/var/lib/mxc-exec/images/" + link + "' is a symbolic link"));
  }
}

TEST(Images, WhatIsMissingIsToldWithHowToGetIt) {
  FakeHost host;
  const Result<std::string> image = FindImage(host, {"alpine", "3.23"});
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(image.error().pointer, "/lxc");
  EXPECT_THAT(image.error().hint, HasSubstr("lxc-create -n fetch -t download -- -d alpine -r 3.23 -a "));
  EXPECT_THAT(image.error().hint, HasSubstr("'/var/lib/mxc-exec/images/alpine/3.23'"));
}

TEST(Images, ANameIsOneComponent) {
  FakeHost host;
  host.AddDirectory("/var/lib/mxc-exec/images/alpine/3.23").AddDirectory("/var/lib/mxc-exec/secret");
  for (const char* bad : {"", ".", "..", "a/b", ".hidden", "a b", "a\nb"}) {
    const Result<std::string> image = FindImage(host, {bad, "3.23"});
    ASSERT_FALSE(image.ok()) << bad;
    EXPECT_EQ(image.error().code, ErrorCode::kSchema);
    EXPECT_EQ(image.error().pointer, "/lxc/distribution");
    EXPECT_EQ(FindImage(host, {"alpine", bad}).error().pointer, "/lxc/release");
  }
  EXPECT_FALSE(FindImage(host, {"alpine", std::string(65, 'a')}).ok());
  EXPECT_EQ(FindImage(host, {"a\nb", "3.23"}).error().message, "'a\\x0ab' is no name of an image");
}

}  // namespace
}  // namespace mxc::images_test
