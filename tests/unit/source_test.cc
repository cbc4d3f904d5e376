#include "document/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "base/unique_fd.h"
#include "mxc/limits.h"

namespace mxc::source_test {
namespace {

std::string Decoded(std::string_view text) {
  const Result<Source> source = DecodeBase64Source(text);
  return source ? source->bytes : "error: " + source.error().message;
}

TEST(Base64, DecodesTheStandardAlphabet) {
  EXPECT_EQ(Decoded(""), "");
  EXPECT_EQ(Decoded("e30="), "{}");
  EXPECT_EQ(Decoded("YQ=="), "a");
  EXPECT_EQ(Decoded("YWI="), "ab");
  EXPECT_EQ(Decoded("YWJj"), "abc");
  EXPECT_EQ(Decoded("+/+/"), "\xFB\xFF\xBF");
  EXPECT_EQ(DecodeBase64Source("e30=")->name, "<base64>");
}

TEST(Base64, RefusesEverythingElse) {
  const std::string error = "error: Invalid base64 configuration: the text is not standard base64";
  for (const std::string_view text : {"e30", "e30==", "e3 0=", "e30=\n", "-_-_", "=e30", "e=30",
                                      "====", "YQ=a", "YR==", "YWK=", "e30=e30=", "A", "\xFF\xFF\xFF\xFF"}) {
    EXPECT_EQ(Decoded(text), error) << text;
  }
}

TEST(Base64, RefusesMoreThanTheBound) {
  const std::string too_long((kMaxDocumentBytes / 3 + 2) * 4, 'A');
  EXPECT_EQ(Decoded(too_long), "error: The configuration is larger than 4194304 bytes");
}

class FileSource : public testing::Test {
 protected:
  FileSource() : path_(testing::TempDir() + "mxc_source_test." + std::to_string(::getpid())) {}
  ~FileSource() override { std::remove(path_.c_str()); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string path_;  // NOLINT(misc-non-private-member-variables-in-classes)
};

TEST_F(FileSource, ReadsEveryByte) {
  const std::string bytes = "{\"a\":\"\xC3\xA9\"}\n" + std::string(100000, ' ');
  Write(bytes);
  const Result<Source> source = ReadFileSource(path_);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->bytes, bytes);
  EXPECT_EQ(source->name, path_);
}

TEST_F(FileSource, AcceptsTheBoundAndRefusesMore) {
  Write(std::string(kMaxDocumentBytes, ' '));
  EXPECT_TRUE(ReadFileSource(path_).ok());
  Write(std::string(kMaxDocumentBytes + 1, ' '));
  const Result<Source> source = ReadFileSource(path_);
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(source.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(source.error().message, "The configuration '" + path_ + "' is larger than 4194304 bytes");
}

TEST_F(FileSource, SaysWhyItCannotBeRead) {
  const Result<Source> missing = ReadFileSource("/nonexistent/config.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(ExitStatus(missing.error().code), 1);
  EXPECT_EQ(missing.error().message,
            "Cannot read config '/nonexistent/config.json': No such file or directory");
  const Result<Source> directory = ReadFileSource("/");
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().message, "Cannot read config '/': Is a directory");
}

TEST_F(FileSource, ReadsADescriptorToItsEnd) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reader{ends[0]};
  UniqueFd writer{ends[1]};
  ASSERT_EQ(::write(writer.Get(), "{}", 2), 2);
  writer.Reset();
  const Result<Source> source = ReadDescriptorSource(reader.Get(), "<stdin>");
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source->bytes, "{}");
  EXPECT_EQ(source->name, "<stdin>");
}

}  // namespace
}  // namespace mxc::source_test
