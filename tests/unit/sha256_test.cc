#include "hash/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace mxc::sha256_test {
namespace {

// FIPS 180-4 and NIST's example values.
TEST(Sha256, AsTheStandardSays) {
  EXPECT_EQ(Sha256Text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Text(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesAreAsTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    Sha256 pieces;
    pieces.Feed(std::string_view(text).substr(0, size));
    pieces.Feed(std::string_view(text).substr(size));
    Sha256 whole;
    whole.Feed(text);
    ASSERT_EQ(pieces.Finish(), whole.Finish()) << size;
  }
}

}  // namespace
}  // namespace mxc::sha256_test
