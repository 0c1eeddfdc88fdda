// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <source_location>
#include <stdexcept>

namespace fovea {

/// A promise between our own functions was broken: a fault in the program, not in its input.
class PreconditionError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// Throws PreconditionError naming `promise` and the calling place unless `holds`.
void require(bool holds, const char* promise,
             std::source_location place = std::source_location::current());

}  // namespace fovea
