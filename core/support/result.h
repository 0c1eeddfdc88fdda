// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace fovea {

/// Why an operation could not give its result.
enum class ErrorKind {
    Input,        ///< the input cannot be used: broken file, wrong shape, value out of range
    Usage,        ///< the question itself is wrong: an option, a pattern that matches nothing
    Unsupported,  ///< well-formed, but of a kind that Fovea does not handle
    Output,       ///< a result could not be written
    Cancelled,    ///< stopped on request; not a failure
};

/// A failure that a user can act on: one or two lines that name the file or tensor, what was
/// expected and what was found. No trailing newline.
struct Error {
    std::string message;
    ErrorKind kind = ErrorKind::Input;
};

/// A value, or the reason why there is none.
template <class T>
using Result = std::expected<T, Error>;

/// Shorthand for returning a failure from a function that returns Result.
[[nodiscard]] inline std::unexpected<Error> fail(std::string message,
                                                 ErrorKind kind = ErrorKind::Input) {
    return std::unexpected<Error>(Error{std::move(message), kind});
}

}  // namespace fovea
