#include "config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "config/decode.h"
#include "config/fields.h"
#include "decode_text.h"
#include "document/parse.h"
#include "profiles/expand_document.h"
#include "tests/support/built.h"
#include "tests/support/fake_host.h"

namespace mxc::schema_test {
namespace {

using testing::ElementsAre;

const std::filesystem::path kSchemas = std::filesystem::path(test::SourceDirectory()) / "schemas";

std::filesystem::path FileOf(const std::string& version) {
  if (version == "mxc-exec") return kSchemas / "dev" / "mxc-exec.json";
  return kSchemas / "stable" / ("mxc-config." + version + ".json");
}

std::string Contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Json SchemaTree(const std::string& version) {
  const Result<std::string> text = SchemaText(version);
  EXPECT_TRUE(text.ok()) << version;
  Result<Json> tree = ParseDocument({.name = version, .bytes = *text});
  EXPECT_TRUE(tree.ok()) << version;
  return std::move(*tree);
}

std::set<std::string> Keys(const Json& object) {
  std::set<std::string> keys;
  for (const JsonMember& member : object.members) keys.insert(member.key);
  return keys;
}

TEST(Schema, OfACeilingIsPublished) {
  EXPECT_EQ(*SchemaText(kCeilingSchema), Contents(kSchemas / "dev" / "mxc-exec-ceiling.json"));
}

TEST(Schema, ListsThePublishedVersions) {
  EXPECT_THAT(SchemaVersions(),
              ElementsAre("0.4.0-alpha", "0.5.0-alpha", "0.6.0-alpha", "0.7.0-alpha", "0.8.0-alpha",
                          "0.9.0-alpha", "0.10.0-alpha", "1.0.0", "1.1.0-alpha", "mxc-exec"));
  const Result<std::string> unknown = SchemaText("0.3.0");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
}

// Refresh with MXC_UPDATE_GOLDEN=1.
TEST(Schema, FilesAreCurrent) {
  const bool update = std::getenv("MXC_UPDATE_GOLDEN") != nullptr;
  for (const std::string& version : SchemaVersions()) {
    if (update) std::ofstream(FileOf(version)) << *SchemaText(version);
    EXPECT_EQ(Contents(FileOf(version)), *SchemaText(version)) << FileOf(version);
  }
}

TEST(Schema, ShowsEachVersionItsOwnFields) {
  const Json oldest = SchemaTree("0.4.0-alpha");
  const std::set<std::string> old_keys = Keys(*oldest.Find("properties"));
  EXPECT_TRUE(old_keys.contains("appContainer"));
  EXPECT_FALSE(old_keys.contains("processContainer"));
  EXPECT_FALSE(old_keys.contains("runtimeConfig"));

  const Json contract = SchemaTree("1.0.0");
  EXPECT_THAT(Keys(*contract.Find("properties")->Find("network")->Find("properties")),
              ElementsAre("egress", "ingress"));
  EXPECT_EQ(contract.Find("properties")->Find("version")->Find("const")->text, "1.0.0");
  EXPECT_FALSE(Keys(*contract.Find("properties")).contains("output"));
  EXPECT_FALSE(Keys(*contract.Find("properties")).contains("phase"));

  const std::set<std::string> own_keys = Keys(*SchemaTree("mxc-exec").Find("properties"));
  EXPECT_TRUE(own_keys.contains("output"));
  EXPECT_TRUE(own_keys.contains("minimumTier"));
}

TEST(Schema, AllowsNullWhereDecodeDoes) {
  EXPECT_EQ(SchemaTree("0.8.0-alpha").Find("properties")->Find("ui")->Find("type")->kind, Json::Kind::kArray);
  EXPECT_EQ(SchemaTree("1.0.0").Find("properties")->Find("ui")->Find("type")->text, "object");
}

TEST(Schema, TellsTheFormsApart) {
  const Json own = SchemaTree("mxc-exec");
  EXPECT_EQ(own.Find("properties")->Find("process")->Find("oneOf")->items.size(), 2U);
  const Json plain = SchemaTree("1.0.0");
  EXPECT_EQ(plain.Find("properties")->Find("process")->Find("required")->items[0].text, "commandLine");
}

// A table row without a description, or one nobody can use, is a mistake.
TEST(Fields, RootRowsAreComplete) {
  std::set<std::string_view> names;
  for (const Field& field : RootShape().fields) {
    EXPECT_FALSE(field.text.empty()) << field.name;
    EXPECT_NE(field.in, 0) << field.name;
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(field.shape != nullptr, field.type == FieldType::kObject) << field.name;
    EXPECT_EQ(!field.values.empty(), field.type == FieldType::kEnum) << field.name;
  }
}

TEST(Examples, AllDecode) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSchemas / "examples")) {
    if (entry.path().extension() != ".json") continue;
    Json document = *ParseDocument({.name = entry.path(), .bytes = Contents(entry.path())});
    ASSERT_TRUE(ExpandDocument("/work", FakeHost().SetEnvironment("HOME", "/home/me"), document).ok());
    const Result<Config> config = Decode(document, {});
    EXPECT_TRUE(config.ok()) << entry.path() << ": " << (config ? "" : config.error().message);
    EXPECT_TRUE(config.ok() && config->notes.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace mxc::schema_test
