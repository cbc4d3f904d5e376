// The section `resources`: text in, limits or errors out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode_text.h"

namespace mxc::resources_decode_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Limits(const std::string& members, const std::string& version = "") {
  const Result<Config> config = DecodeText(With("\"resources\":{" + members + "}", version));
  if (!config) return config.error().pointer + ": " + config.error().message;
  std::string text;
  for (const ResourceLimit& limit : config->resources)
    text += limit.pointer + " " + std::to_string(limit.amount) + "; ";
  return text;
}

TEST(Resources, InTheKernelsUnits) {
  EXPECT_EQ(Limits(R"("memoryMb":512,"cpus":1.5,"processes":64,"openFiles":256,"tmpMb":100,"fileSizeMb":10,)"
                   R"("cpuTimeMs":30000)"),
            "/resources/memoryMb 536870912; /resources/cpus 1500; /resources/processes 64; "
            "/resources/openFiles 256; /resources/tmpMb 104857600; /resources/fileSizeMb 10485760; "
            "/resources/cpuTimeMs 30000; ");
  EXPECT_EQ(Limits(""), "");
  for (const char* version : {"0.4.0", "0.8.0", "0.9.0-alpha", "1.0.0", "1.1.0-alpha"})
    EXPECT_EQ(Limits(R"("cpus":2)", version), "/resources/cpus 2000; ") << version;
}

TEST(Resources, SharesOfAProcessor) {
  EXPECT_EQ(Limits(R"("cpus":0.01)"), "/resources/cpus 10; ");
  EXPECT_EQ(Limits(R"("cpus":5e-1)"), "/resources/cpus 500; ");
  EXPECT_THAT(Limits(R"("cpus":0.009)"), HasSubstr("must be at least 0.01"));
  for (const char* wrong : {"0", "0.0", "-1", "-0.5", "1e9", "8193"})
    EXPECT_THAT(Limits(std::string("\"cpus\":") + wrong),
                HasSubstr("must be a number above 0 and at most 8192"))
        << wrong;
  EXPECT_THAT(Limits(R"("cpus":"2")"), HasSubstr("invalid type: string, expected a number"));
}

TEST(Resources, OutOfBounds) {
  EXPECT_THAT(Limits(R"("memoryMb":0)"), HasSubstr("must be an integer between 1 and 1000000000"));
  EXPECT_THAT(Limits(R"("memoryMb":0.5)"), HasSubstr("invalid type: number, expected an integer"));
  EXPECT_THAT(Limits(R"("openFiles":15)"), HasSubstr("/resources/openFiles"));
  EXPECT_THAT(Limits(R"("processes":-1)"), HasSubstr("/resources/processes"));
  EXPECT_THAT(Errors(With(R"("resources":{"memoryMB":1})")),
              ElementsAre(HasSubstr("did you mean `memoryMb`?")));
}

}  // namespace
}  // namespace mxc::resources_decode_test
