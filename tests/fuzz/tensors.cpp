// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/tensors.h"

#include "tests/fuzz/laws.h"

namespace fovea::fuzz {

void checkTensor(const io::StoredTensor& tensor) {
    touch(tensor.bytes);
    const std::size_t size = io::elementSize(tensor.type);
    law(io::checkedByteCount(tensor.shape, size).has_value(), "a tensor fits into memory addresses");
    law(tensor.shape.size() == tensor.strides.size(), "every axis has a stride");
    if (tensor.count() == 0) return;
    std::size_t last = 0;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
        last += (tensor.shape[axis] - 1) * tensor.strides[axis];
    law((last + 1) * size <= tensor.bytes.size(), "a tensor's last element lies in its bytes");
    if (tensor.inOrder()) checkArray(tensor.view());
    // A stride of 0 makes many elements of few bytes.
    constexpr std::size_t few = 1 << 14;
    if (tensor.count() > few) return;
    std::vector<std::byte> copy(tensor.count() * size);
    io::copyInOrder(tensor, copy);
    touch(copy);
    const auto place = io::firstNotFinite(tensor);
    law(!place || *place < tensor.count(), "a number that is not finite is one of the elements");
}

}  // namespace fovea::fuzz
