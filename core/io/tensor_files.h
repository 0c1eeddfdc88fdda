// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/stored_tensor.h"
#include "core/support/result.h"

namespace fovea::io {

/// The named tensors of the weights of one model: one file or several, mapped. Views stay valid as long as
/// the object lives.
class TensorFiles {
public:
    /// A safetensors file or one of torch.save, told apart by what they begin with.
    static Result<std::shared_ptr<const TensorFiles>> openFile(const std::filesystem::path& file);
    /// The files that an index lists: {"weight_map": {tensor: file name in the index's folder, ...}}. A
    /// tensor of such a file that the index does not list counts too, unless another file holds it. Errors
    /// name the index (and the file): not such JSON, a name that leads out of the folder, a file that is not
    /// there, a tensor that its file lacks.
    static Result<std::shared_ptr<const TensorFiles>> openIndex(const std::filesystem::path& index);

    /// `base`, and the tensors of `more` with `prefix` before their names, unless `base` has such a name.
    static std::shared_ptr<const TensorFiles> joined(const TensorFiles& base, const TensorFiles& more,
                                                     const std::string& prefix);

    /// What messages about the weights as a whole begin with: the file, or the index.
    const std::filesystem::path& path() const { return path_; }
    /// "safetensors" or "pytorch".
    const std::string& format() const { return format_; }
    /// Names in the order of the files.
    const std::vector<std::string>& names() const { return names_; }
    /// nullptr when there is no such tensor.
    const StoredTensor* find(std::string_view name) const;
    /// How many files there are.
    std::size_t files() const { return owners_.size(); }

    /// Gives the pages that hold nothing but this tensor back to the system; they are read again when they
    /// are touched. Cost: one system call.
    static void release(const StoredTensor& tensor);

private:
    Result<void> addFile(const std::filesystem::path& file);
    void add(const std::string& name, StoredTensor tensor);

    std::filesystem::path path_;
    std::string format_;
    std::vector<std::string> names_;
    std::map<std::string, StoredTensor, std::less<>> tensors_;
    std::vector<std::shared_ptr<const void>> owners_;
};

}  // namespace fovea::io
