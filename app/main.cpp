// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "app/command_line.h"
#include "core/io/files.h"

namespace {

// A standard stream that the caller closed would give its number to the next file that is opened, and
// messages would be written into that file.
void openMissingStreams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) != -1) continue;
        if (open("/dev/null", O_RDONLY) == -1) _exit(1);
    }
}

// Qt takes UTF-8 whatever the locale says, but newer releases tell so on stderr, where commands speak.
void useUtf8() {
    setlocale(LC_CTYPE, "");
    const bool utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
    setlocale(LC_CTYPE, "C");
    if (!utf8) setenv(getenv("LC_ALL") ? "LC_ALL" : "LC_CTYPE", "C.UTF-8", 1);
}

}  // namespace

int main(int argc, char** argv) {
    openMissingStreams();
    useUtf8();
    // A reader that went away is an error of the write, not the end of the process.
    signal(SIGPIPE, SIG_IGN);
    // So is a file that grows beyond what the user may write.
    signal(SIGXFSZ, SIG_IGN);
    fovea::io::removeTemporariesOnInterrupt();
    try {
        return fovea::app::runCommandLine(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("fovea: there is not enough memory\n", stderr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea: a fault in Fovea: %s\n", error.what());
    } catch (...) {
        std::fputs("fovea: a fault in Fovea, of an unknown kind\n", stderr);
    }
    return EXIT_FAILURE;
}
