// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the tokenizer of a folder and encodes the texts of a file, which zero bytes separate, on one
// thread. Prints one JSON object: processor time of each opening and of encoding all texts, in seconds,
// and how many tokens there were. tokenizer_speed.py drives it.
#include <ctime>
#include <iostream>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/text/tokenizer.h"

namespace {

using fovea::text::Tokenizer;
constexpr int kOpenings = 3;

/// Processor time of this thread, which other programs do not lengthen.
double seconds() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::vector<std::string_view> textsOf(std::string_view file) {
    std::vector<std::string_view> texts;
    while (!file.empty()) {
        const std::size_t end = std::min(file.find('\0'), file.size());
        texts.push_back(file.substr(0, end));
        file.remove_prefix(std::min(end + 1, file.size()));
    }
    return texts;
}

int complain(const fovea::Error& error) {
    std::cerr << error.message << '\n';
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: tokenizer_time FOLDER FILE\n";
        return 2;
    }
    std::vector<double> openings;
    std::shared_ptr<const Tokenizer> tokenizer;
    for (int i = 0; i < kOpenings; ++i) {
        const double start = seconds();
        auto opened = Tokenizer::fromFolder(argv[1]);
        openings.push_back(seconds() - start);
        if (!opened) return complain(opened.error());
        tokenizer = std::move(*opened);
    }
    const auto file = fovea::io::readTextFile(argv[2]);
    if (!file) return complain(file.error());
    const auto texts = textsOf(*file);
    std::size_t tokens = 0;
    const double start = seconds();
    for (const std::string_view text : texts) {
        const auto encoding = tokenizer->encode(text);
        if (!encoding) return complain(encoding.error());
        tokens += encoding->tokens.size();
    }
    const nlohmann::json result{{"openings", openings}, {"encoding", seconds() - start}, {"tokens", tokens}};
    std::cout << result.dump() << '\n';
}
