// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <c10/util/Exception.h>

#include "core/support/result.h"

namespace fovea::model {

/// The first line of a message of LibTorch; the rest is a stack trace.
inline std::string firstLine(std::string_view message) {
    return std::string(message.substr(0, message.find('\n')));
}

/// Calls `work`, which returns a Result, and turns whatever it throws into an Error that begins with
/// `what`: no exception of LibTorch may cross the module's border.
template <class Work>
std::invoke_result_t<Work> guarded(std::string_view what, Work&& work) noexcept {
    const auto failed = [&](std::string_view reason) {
        return fail(std::string(what) + ": " + firstLine(reason));
    };
    try {
        return std::forward<Work>(work)();
    } catch (const c10::Error& error) {
        return failed(error.what_without_backtrace());
    } catch (const std::bad_alloc&) {
        return failed("there is not enough memory");
    } catch (const std::exception& error) {
        return failed(error.what());
    } catch (...) {
        return failed("LibTorch failed without a reason");
    }
}

}  // namespace fovea::model
