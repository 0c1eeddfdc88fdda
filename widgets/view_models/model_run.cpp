// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_run.h"

#include <QFile>
#include <chrono>

#include "core/model/incomplete_error.h"
#include "core/model/model_folder.h"
#include "core/model/runtime_module.h"

namespace fovea::widgets {

namespace {

Result<std::shared_ptr<const Trace>> labelledRun(const LoadedModel& model, const session::PreparedInput& prepared,
                                                 const MechanismPlan& plan, const RunControl& control) {
    auto ran = model.run(prepared.input, plan, control);
    if (!ran) return std::unexpected(ran.error());
    auto labelled = std::make_shared<Trace>(**ran);
    labelled->tokens = prepared.tokens;
    return labelled;
}

}  // namespace

Result<OpenedModel> openModelFolder(const std::filesystem::path& folder, const RunControl& control) {
    control.report("reading the folder", 0.0);
    auto info = model::describeFolder(folder);
    if (!info) return std::unexpected(info.error());
    // Told before LibTorch is started, which takes longer than reading headers.
    if (auto error = model::incompleteError(*info)) return std::unexpected(*error);
    control.report("reading the tokenizer", 0.05);
    auto tokenizer = text::Tokenizer::fromFolder(folder);
    if (!tokenizer) return std::unexpected(tokenizer.error());
    if (control.stop.stop_requested()) return fail("cancelled", ErrorKind::Cancelled);
    control.report("starting LibTorch", 0.1);
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    if (control.stop.stop_requested()) return fail("cancelled", ErrorKind::Cancelled);
    control.report("loading the weights", 0.2);
    auto loaded = (*runtime)->load(folder, control);
    if (!loaded) return std::unexpected(loaded.error());
    return OpenedModel{std::move(*loaded), std::move(*tokenizer)};
}

Result<std::shared_ptr<const ModelRun>> runOwn(const OpenedModel& opened, const session::TextInput& text,
                                               const RunControl& control) {
    auto prepared = session::prepareText(*opened.tokenizer, opened.model->info(), text);
    if (!prepared) return std::unexpected(prepared.error());
    const auto start = std::chrono::steady_clock::now();
    auto own = labelledRun(*opened.model, *prepared, {}, control);
    if (!own) return std::unexpected(own.error());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    return std::make_shared<const ModelRun>(
        ModelRun{opened, text, std::move(*prepared), std::move(*own), took.count()});
}

Result<std::shared_ptr<const Trace>> runWhatIf(const ModelRun& run, const EntmaxParameters& mechanism,
                                               const RunControl& control) {
    return labelledRun(*run.opened.model, run.prepared, MechanismPlan::everywhere(mechanism), control);
}

std::filesystem::path modelFolderOf(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto absolute = std::filesystem::absolute(path, ignored).lexically_normal();
    if (std::filesystem::is_regular_file(absolute, ignored)) return absolute.parent_path();
    return absolute.has_filename() ? absolute : absolute.parent_path();
}

session::TextInput openingText(const std::filesystem::path& folder) {
    constexpr qint64 limit = 64 * 1024;
    QFile file(QString::fromStdString((folder / "sample.txt").string()));
    if (file.open(QIODevice::ReadOnly)) {
        const QString text = QString::fromUtf8(file.read(limit)).trimmed();
        if (!text.isEmpty()) return {text.toStdString(), std::nullopt};
    }
    return {"The quick brown fox jumps over the lazy dog.", std::nullopt};
}

}  // namespace fovea::widgets
