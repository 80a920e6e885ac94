// SPDX-License-Identifier: BSD-3-Clause
// Signatures: what was signed is accepted as long as it is fresh, and nothing else ever is.
#include "common/signature.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "common/key_file.hpp"
#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa::health::signature_test {
namespace {

using test::error_of;
using ::testing::HasSubstr;
using ::testing::Not;

// The first pair of RFC 8032, section 7.1.
const std::string kSecret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const std::string kPublic =
    "ed25519 d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a\n";
constexpr std::int64_t kNow = 1'700'000'000;
constexpr double kMaxAge = 300;

std::string sign(const std::string& text, const std::string& secret = kSecret) {
  return Signer(parse_secret_key(secret)).sign(text, kNow);
}

void check(const std::string& text, const std::string& signature, std::int64_t now = kNow) {
  check_signature(text, signature, parse_public_key(kPublic), now, kMaxAge);
}

TEST(Signature, ThePublicKeyIsThatOfTheSecretOne) {
  EXPECT_EQ(Signer(parse_secret_key(kSecret + "\n")).public_key(), kPublic);
}

TEST(Signature, IsAcceptedWhileItIsFresh) {
  const std::string signature = sign("text");
  for (const std::int64_t now : {kNow, kNow + 300, kNow - 300}) {
    EXPECT_NO_THROW(check("text", signature, now));
  }
}

TEST(Signature, IsRefusedWhenItIsRepeatedOrFromTheFuture) {
  const std::string signature = sign("text");
  EXPECT_THAT(error_of([&] { check("text", signature, kNow + 301); }),
              HasSubstr("signed 301 s ago, 300 s are allowed"));
  EXPECT_THAT(error_of([&] { check("text", signature, kNow - 301); }),
              HasSubstr("signed 301 s in the future"));
}

TEST(Signature, IsRefusedOfAnotherKeyTextOrTime) {
  constexpr const char* kNotTrusted = "not signed with the key that is trusted here";
  EXPECT_THAT(error_of([] { check("text", sign("text", std::string(64, '1'))); }),
              HasSubstr(kNotTrusted));
  EXPECT_THAT(error_of([] { check("Text", sign("text")); }), HasSubstr(kNotTrusted));
  EXPECT_THAT(error_of([] { check("text\n", sign("text")); }), HasSubstr(kNotTrusted));
  std::string later = sign("text");
  later.replace(later.find("1700000000"), 10, "1700000001");
  EXPECT_THAT(error_of([&] { check("text", later); }), HasSubstr(kNotTrusted));
}

TEST(Signature, IsRefusedWithAnyCharacterChanged) {
  const std::string signature = sign("text");
  rc::check([&] {
    std::string forged = signature;
    const auto at = *rc::gen::inRange<std::size_t>(0, forged.size());
    forged[at] = *rc::gen::distinctFrom(rc::gen::arbitrary<char>(), forged[at]);
    EXPECT_NE(error_of([&] { check("text", forged); }), "");
  });
  for (std::size_t size = 0; size < signature.size(); ++size) {
    EXPECT_NE(error_of([&] { check("text", signature.substr(0, size)); }), "") << size;
  }
  EXPECT_THAT(error_of([&] { check("text", signature + "0"); }), HasSubstr("malformed"));
  // The same number, written in another way.
  std::string longer = signature;
  longer.insert(longer.find("1 ") + 2, "0");
  EXPECT_THAT(error_of([&] { check("text", longer); }), HasSubstr("malformed"));
}

TEST(Keys, HaveOneForm) {
  for (const std::string& text :
       {std::string(), kSecret.substr(1), kSecret + "0", kPublic, "G" + kSecret.substr(1),
        "A" + kSecret.substr(1), kSecret + " x"}) {
    const std::string problem = error_of([&] { parse_secret_key(text); });
    EXPECT_THAT(problem, HasSubstr("is no secret key"));
    EXPECT_THAT(problem, Not(HasSubstr("9d61"))) << "a secret is not repeated";
  }
  for (const std::string& text : {std::string(), kSecret, "ed25519 " + kSecret + "0",
                                  "ed25519" + kSecret, "ed25519  " + kSecret}) {
    EXPECT_THAT(error_of([&] { parse_public_key(text); }),
                HasSubstr("tofa-pmix-gateway --public-key"));
  }
}

TEST(Keys, ASecretOneIsRefusedWhereOthersReadOrChangeIt) {
  const test::ScratchDirectory directory;
  const std::string path = directory.write("health.key", kSecret + "\n");
  for (const mode_t mode : {0644, 0660, 0602, 0601}) {
    ::chmod(path.c_str(), mode);
    EXPECT_THAT(error_of([&] { read_secret_key(path); }), HasSubstr("health.key: has mode 0"));
  }
  for (const mode_t mode : {0400, 0600, 0640, 0440}) {
    ::chmod(path.c_str(), mode);
    EXPECT_EQ(read_secret_key(path), parse_secret_key(kSecret)) << mode;
  }
}

TEST(Keys, TheWordNoneStandsForNoSecretKey) {
  const test::ScratchDirectory directory;
  const std::string path = directory.write("health.key", "none\n");
  ::chmod(path.c_str(), 0600);
  EXPECT_EQ(read_secret_key(path), std::nullopt);
}

TEST(Keys, AFileThatHasNoneIsNamed) {
  const test::ScratchDirectory directory;
  EXPECT_THAT(error_of([&] { read_secret_key(directory / "none"); }), HasSubstr("none: cannot"));
  const std::string empty = directory.write("empty", "");
  ::chmod(empty.c_str(), 0600);
  EXPECT_THAT(error_of([&] { read_secret_key(empty); }), HasSubstr("empty: is no secret key"));
  EXPECT_THAT(error_of([&] { read_public_key(directory.write("pub", "x")); }),
              HasSubstr("pub: is no public key"));
}

}  // namespace
}  // namespace tofa::health::signature_test
