// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <utility>
#include <vector>

#include "core/trace/model_info.h"

namespace fovea::widgets {

/// What a model is, line by line: a name and what it is. Empty lines are left out.
std::vector<std::pair<QString, QString>> modelLines(const ModelInfo& info, const LoadOptions& options);

/// All of it as text, the tensors by name included.
QString reportText(const ModelInfo& info, const LoadOptions& options);

/// A sentence on what a model lacks as it was opened: its head, its last layers. Empty when it is whole.
QString openingNotice(const ModelInfo& info, const LoadOptions& options);

/// "1.2 GB", in powers of 1000.
QString bytesText(std::uint64_t bytes);

/// The model types that can be opened and the architectures of each, from the list of the code itself.
struct SupportedFamily {
    QString modelType;
    QStringList architectures;
};
std::vector<SupportedFamily> supportedFamilies();

}  // namespace fovea::widgets
