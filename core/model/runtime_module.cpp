// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/runtime_module.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <atomic>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "core/model/runtime_entry.h"

namespace fovea::model {

namespace fs = std::filesystem;

namespace {

std::atomic<bool> loaded = false;

Result<fs::path> moduleFile() {
    if (const char* named = std::getenv("FOVEA_RUNTIME"); named && *named) return fs::path(named);
    std::error_code problem;
    const fs::path program = fs::read_symlink("/proc/self/exe", problem);
    if (problem)
        return fail("/proc/self/exe cannot be read: set FOVEA_RUNTIME to the file of the run-time module");
    return (program.parent_path().parent_path() / "lib" / "fovea" / runtimeModuleName).lexically_normal();
}

// LibTorch's waiting threads would spin and starve everybody else; OpenMP reads this once, when it
// is loaded. What the user has set stays.
void quietThreads() {
    setenv("GOMP_SPINCOUNT", "0", 0);
    setenv("OMP_WAIT_POLICY", "passive", 0);
    setenv("KMP_BLOCKTIME", "0", 0);
}

// An OpenBLAS that is older than the processor does not know it and takes its kernels for SSE3, four
// times slower; it, too, reads this once. What the user has set stays.
void chooseBlasKernels() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        setenv("OPENBLAS_CORETYPE", "HASWELL", 0);
    }
#endif
}

Result<const ModelRuntime*> open() {
    const Result<fs::path> file = moduleFile();
    if (!file) return std::unexpected(file.error());
    std::error_code ignored;
    if (!fs::exists(*file, ignored)) {
        return fail(
            fmt::format("{}: expected Fovea's run-time module, found no such file; models cannot be run "
                        "without it",
                        file->string()));
    }
    quietThreads();
    chooseBlasKernels();
    // Never closed: LibTorch cannot be unloaded, and objects made there outlive every caller.
    void* module = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        const char* reason = dlerror();
        return fail(fmt::format("the run-time module cannot be loaded (is LibTorch installed?): {}",
                                reason ? reason : file->string()));
    }
    const auto entry = reinterpret_cast<RuntimeEntry>(dlsym(module, runtimeEntryName));
    if (!entry) {
        return fail(fmt::format("{}: expected Fovea's run-time module, found a library without {}",
                                file->string(), runtimeEntryName));
    }
    const ModelRuntime* runtime = entry(runtimeInterface);
    if (!runtime) {
        return fail(
            fmt::format("{}: expected a run-time module of this build of Fovea ({}), found one of another",
                        file->string(), runtimeInterface));
    }
    loaded = true;
    return runtime;
}

}  // namespace

Result<const ModelRuntime*> openRuntime() {
    // A failure is not kept: the user may install what was missing and try again.
    static std::mutex mutex;
    static const ModelRuntime* runtime = nullptr;
    const std::lock_guard lock(mutex);
    if (runtime) return runtime;
    const Result<const ModelRuntime*> opened = open();
    if (opened) runtime = *opened;
    return opened;
}

bool runtimeLoaded() { return loaded; }

}  // namespace fovea::model
