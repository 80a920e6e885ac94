// SPDX-License-Identifier: BSD-3-Clause
// The topology file as the gateway hands it out.
#include "common/topology_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fingerprint.hpp"
#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa::health::topology_source_test {
namespace {

using testing::HasSubstr;

constexpr std::time_t kNow = 1'700'000'000;
const std::string kSecret(64, '7');

std::string torus(const std::string& nodes) {
  return "[topology]\nkind = \"torus\"\nshape = [4]\nnodes = \"" + nodes + "\"\n";
}

TEST(TopologySource, HandsOutTheFileAsItIs) {
  const test::ScratchDirectory scratch;
  TopologySource source(scratch.write("site.toml", torus("n[0-3]")));
  const TopologyAnswer answer = source.answer("", kNow);
  EXPECT_FALSE(answer.unchanged);
  EXPECT_EQ(answer.text, torus("n[0-3]"));
  EXPECT_EQ(answer.signature, "");
}

TEST(TopologySource, DoesNotRepeatWhatIsKnown) {
  const test::ScratchDirectory scratch;
  TopologySource source(scratch.write("site.toml", torus("n[0-3]")));
  const std::string known = fingerprint_of(torus("n[0-3]"));
  EXPECT_TRUE(source.answer(known, kNow).unchanged);
  EXPECT_EQ(source.answer(known, kNow).text, known);
  EXPECT_FALSE(source.answer(known + "0", kNow).unchanged);
  std::filesystem::rename(scratch.write("new.toml", torus("m[0-3]")), scratch / "site.toml");
  EXPECT_FALSE(source.answer(known, kNow).unchanged);
  EXPECT_EQ(source.answer(known, kNow).text, torus("m[0-3]"));
}

TEST(TopologySource, WithoutAFileThereIsNone) {
  TopologySource source("");
  EXPECT_EQ(source.answer("", kNow).text, "");
  EXPECT_FALSE(source.answer("", kNow).unchanged);
}

TEST(TopologySource, WhatIsNoTopologyIsNotHandedOut) {
  const test::ScratchDirectory scratch;
  TopologySource source(scratch / "site.toml");
  EXPECT_THAT(test::error_of([&] { source.answer("", kNow); }), HasSubstr("site.toml: No such"));
  scratch.write("site.toml", "[topology]\nkind = \"ring\"\n");
  EXPECT_THAT(test::error_of([&] { source.answer("", kNow); }), HasSubstr("site.toml"));
  scratch.write("site.toml", torus("n[0-3]") + std::string(1, '\0'));
  EXPECT_THAT(test::error_of([&] { source.answer("", kNow); }), HasSubstr("is no text"));
  scratch.write("site.toml", std::string(kLargestTopology + 1, '#'));
  EXPECT_NE(test::error_of([&] { source.answer("", kNow); }), "");
  scratch.write("site.toml", torus("n[0-3]") + "# mended\n");
  EXPECT_EQ(source.answer("", kNow).text, torus("n[0-3]") + "# mended\n");
}

TEST(TopologySource, SignsWhatItSaysAsWhatItIs) {
  const test::ScratchDirectory scratch;
  const Signer signer(parse_secret_key(kSecret));
  const KeyBytes key = parse_public_key(signer.public_key());
  TopologySource source(scratch.write("site.toml", torus("n[0-3]")), signer);
  const TopologyAnswer text = source.answer("", kNow);
  EXPECT_NO_THROW(check_signature(text.text, text.signature, key, kNow, 0, kTopologyText));
  EXPECT_THROW(check_signature(text.text, text.signature, key, kNow, 0), Error)
      << "it is no snapshot";
  const TopologyAnswer same = source.answer(fingerprint_of(text.text), kNow);
  EXPECT_NO_THROW(check_signature(same.text, same.signature, key, kNow, 0, kUnchangedTopology));
  EXPECT_THROW(check_signature(same.text, same.signature, key, kNow, 0, kTopologyText), Error);
  TopologySource none("", signer);
  EXPECT_NO_THROW(
      check_signature("", none.answer("", kNow).signature, key, kNow, 0, kTopologyText));
}

}  // namespace
}  // namespace tofa::health::topology_source_test
