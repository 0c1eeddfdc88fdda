// SPDX-License-Identifier: GPL-3.0-or-later
//
// libFuzzer's end of the entries: `fuzz --entry=NAME` and libFuzzer's own options, which begin with one
// dash; those with two it leaves to us.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/entry.h"

namespace {

const fovea::fuzz::Entry* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
    constexpr std::string_view option = "--entry=";
    for (int i = 1; i < *count; ++i) {
        const std::string_view argument = (*arguments)[i];
        if (argument.starts_with(option)) chosen = fovea::fuzz::findEntry(argument.substr(option.size()));
    }
    if (chosen) return 0;
    std::fputs("fuzz: expected --entry=NAME, one of\n", stderr);
    for (const auto* entry : fovea::fuzz::entries()) std::fprintf(stderr, "  %s\n", entry->name);
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->read(std::as_bytes(std::span(data, size)));
    return 0;
}
