// Which datagrams are taken for QUIC or DTLS.
#include "gateway/inspect/encrypted_datagram.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/client_talk.h"

namespace mxc::egress::encrypted_datagram_test {
namespace {

using namespace std::string_literals;

bool Begins(const std::string& datagram, std::uint16_t port = 443) {
  return BeginsEncryption(View(datagram), port);
}

// A client's first packet.
std::string Initial(const std::string& version, std::size_t destination = 8, std::size_t source = 0,
                    std::size_t content = 1100) {
  return "\xc3" + version + test::Counted(1, std::string(destination, 'd')) +
         test::Counted(1, std::string(source, 's')) + std::string(content, 'E');
}

TEST(EncryptedDatagram, QuicIsKnownByItsFormInEveryVersion) {
  for (const std::string& version : {"\0\0\0\1"s, "\x6b\x33\x43\xcf"s, "\x70\x9a\x50\xc4"s, "\xff\2\0\0"s,
                                     "T050"s, "T051"s, "\x0a\x1a\x2a\x3a"s, "\0\0\0\2"s}) {
    for (const std::size_t destination : {8UL, 20UL}) {
      for (const std::size_t source : {0UL, 20UL}) EXPECT_TRUE(Begins(Initial(version, destination, source)));
    }
    EXPECT_TRUE(Begins(Initial(version, 8, 0, 18)));
  }
  for (const std::string version : {"Q043", "Q046", "Q050"}) EXPECT_TRUE(Begins("\xc3" + version + "\x50x"));
  EXPECT_TRUE(Begins("\xc3ver." + std::string(1200, '\xff')));
}

TEST(EncryptedDatagram, WhatHasAnotherFormIsNotQuic) {
  const std::string version = "\x70\x9a\x50\xc4";
  EXPECT_FALSE(Begins(Initial("\0\0\0\0"s))) << "no version";
  EXPECT_FALSE(Begins(Initial(version, 7))) << "no client begins so";
  EXPECT_FALSE(Begins(Initial(version, 21)));
  EXPECT_FALSE(Begins(Initial(version, 8, 21)));
  EXPECT_FALSE(Begins(Initial(version, 8, 0, 17))) << "nothing sealed";
  EXPECT_FALSE(Begins(Initial(version, 20, 20).substr(0, 60)));
  std::string unfixed = Initial(version);
  unfixed[0] = '\x83';
  EXPECT_FALSE(Begins(unfixed));
}

TEST(EncryptedDatagram, OtherProtocolsPass) {
  const std::string rest(60, '\0');
  const std::string question = "\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1"s;
  for (const std::string& id : {"\xc0\0"s, "\xff\xff"s, "\xc3\1"s}) {
    EXPECT_FALSE(Begins(id + question)) << "DNS";
    EXPECT_FALSE(Begins(id + "\0\0\0\1\0\0get x\r\n"s + rest)) << "memcached";
    EXPECT_FALSE(Begins(id + "xx\0\0\0\0\0\0\0\2"s + rest)) << "ONC RPC";
    EXPECT_FALSE(Begins(id + "xxx\x0cyz"s + rest, 500)) << "IKE: a number by chance";
    EXPECT_FALSE(Begins(id + "xx\0\x0a\0\1"s + std::string(1400, 'E'), 4500)) << "ESP";
  }
  EXPECT_FALSE(Begins("\xe3\0\6\xec\0\0\0\0"s + rest, 123)) << "NTP, not synchronised";
  EXPECT_FALSE(Begins("\xc8\2\0\x6c\0\x0a\0\0"s + rest, 1701)) << "L2TP";
  EXPECT_FALSE(Begins("\xff\xff\xff\xffTSource Engine Query\0"s));
  EXPECT_FALSE(Begins("\0\1\0\0\x21\x12\xa4\x42"s + rest)) << "STUN";
  EXPECT_FALSE(Begins("\1\0\0\0"s + std::string(144, '\xc3'))) << "WireGuard";
  EXPECT_FALSE(Begins("<34>1 2026-01-01T00:00:00Z host app - - - x")) << "syslog";
  EXPECT_FALSE(Begins("\x80\x60\0\1"s + std::string(160, '\x0c'))) << "RTP";
}

TEST(EncryptedDatagram, DtlsIsKnownEverywhere) {
  const std::string record = "\x16\xfe\xfd\0\0\0\0\0\0\0\0\0\x20\1\0\0\x14"s + std::string(40, 'h');
  for (const std::uint16_t port : {std::uint16_t{443}, std::uint16_t{4500}}) {
    EXPECT_TRUE(Begins(record, port));
    EXPECT_TRUE(Begins("zzz" + record, port));
  }
}

}  // namespace
}  // namespace mxc::egress::encrypted_datagram_test
