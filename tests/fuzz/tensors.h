// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/stored_tensor.h"

namespace fovea::fuzz {

/// The elements lie in the tensor's bytes: first and last are read, and all of them where they are few.
void checkTensor(const io::StoredTensor& tensor);

}  // namespace fovea::fuzz
