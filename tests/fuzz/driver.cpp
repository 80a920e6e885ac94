// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzz target without libFuzzer: every file of the corpus as it is, then COUNT mutations of
// them. The mutations follow from the seed alone, so a failure comes back: the input that is being
// tried is kept in last-input-TARGET in the working directory until the target has survived it.
//   fuzz_TARGET CORPUS_DIRECTORY COUNT [SEED]
//   fuzz_TARGET FILE                               one input
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz_target.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestInput = 16384;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed)
      : corpus_(corpus), random_(seed) {}

  std::string next() {
    std::string input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(5); changes > 0; --changes) change(input);
    if (input.size() > kLongestInput) input.resize(kLongestInput);
    return input;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void change(std::string& input) {
    const std::size_t at = below(input.size() + 1);
    switch (below(7)) {
      case 0:
        input.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        input.erase(at, 1 + below(8));
        break;
      case 2:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 3:
        input.insert(at, interesting_[below(interesting_.size())]);
        break;
      case 4:
        input.resize(at);
        break;
      case 5:
        input.insert(at, input.substr(below(input.size() + 1), below(64)));
        break;
      default:
        splice(input, at);
    }
  }

  // Goes on with the end of another input.
  void splice(std::string& input, std::size_t at) {
    const std::string& other = corpus_[below(corpus_.size())];
    input = input.substr(0, at) + other.substr(below(other.size() + 1));
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_;
  const std::vector<std::string> interesting_ = {"-1",         "0",
                                                 "1",          "18446744073709551615",
                                                 "4294967296", "999999999999999999",
                                                 "1e308",      "nan",
                                                 "-inf",       "0.5",
                                                 "[",          "]",
                                                 ",",          "-",
                                                 "\n",         "\r\n",
                                                 "\t",         "#",
                                                 "%",          "{",
                                                 "}",          "\"",
                                                 "\xff",       std::string(1, '\0'),
                                                 "[0-9]",      "\xEF\xBB\xBF",
                                                 "%tofa {}",   "= 7",
                                                 "true"};
};

// Where the input that is being tried is found after a crash. Opened once: a file made anew for
// each input took longer than trying it.
class LastInput {
 public:
  explicit LastInput(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}
  ~LastInput() { ::close(file_); }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;

  void keep(const std::string& input) const {
    if (::pwrite(file_, input.data(), input.size(), 0) != static_cast<ssize_t>(input.size()) ||
        ::ftruncate(file_, static_cast<off_t>(input.size())) != 0) {
      std::perror("the input cannot be kept");
      std::exit(1);
    }
  }

 private:
  int file_;
};

int run_corpus(const fs::path& directory, long count, std::uint64_t seed, const std::string& kept) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "%s: no corpus\n", directory.c_str());
    return 1;
  }
  std::vector<std::string> corpus;
  for (const fs::path& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    corpus.push_back(read(file));
    run(corpus.back());
  }
  Mutator mutator(corpus, seed);
  const LastInput last(kept);
  for (long i = 0; i < count; ++i) {
    const std::string input = mutator.next();
    last.keep(input);
    run(input);
  }
  fs::remove(kept);
  std::printf("%zu files, %ld mutations\n", corpus.size(), count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    run(read(argv[1]));
    return 0;
  }
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: %s FILE | CORPUS_DIRECTORY COUNT [SEED]\n", argv[0]);
    return 2;
  }
  const std::string kept = "last-input-" + fs::path(argv[0]).filename().string();
  return run_corpus(argv[1], std::atol(argv[2]),
                    argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 1, kept);
}
