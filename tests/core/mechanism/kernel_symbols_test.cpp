// SPDX-License-Identifier: GPL-3.0-or-later
//
// The kernels are compiled for vector units that not every processor has. A weak symbol of theirs that other
// files have too could be picked by the linker for the whole program.
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace fovea {
namespace {

std::string outputOf(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> buffer;
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get())) text += buffer.data();
    return text;
}

/// Vector code carries its unit in its namespace: N_AVX2, N_SCALAR.
bool namesItsUnit(const std::string& symbol) { return symbol.find("::N_") != std::string::npos; }

TEST(KernelSymbols, shared_with_other_files_name_their_vector_unit) {
    const std::string listing = outputOf("nm -C --defined-only '" FOVEA_MECHANISM_LIBRARY "' 2>&1");
    std::istringstream lines(listing);
    bool inKernels = false;
    int vectorFunctions = 0;
    std::string strays;
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with(".o:")) inKernels = line.starts_with("row_kernels");
        const auto kind = line.find_first_of("WVu", 16);
        // References to the run-time library's data are no code.
        const bool code = line.find("DW.ref.") == std::string::npos;
        const bool weak = inKernels && code && kind == 17 && line.size() > 19;
        if (inKernels && namesItsUnit(line)) ++vectorFunctions;
        if (weak && !namesItsUnit(line)) strays += line.substr(19) + "\n";
    }
    EXPECT_GT(vectorFunctions, 5) << listing.substr(0, 500);
    EXPECT_EQ(strays, "");
}

}  // namespace
}  // namespace fovea
