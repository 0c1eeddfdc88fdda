// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_run.h"

#include <chrono>

#include "core/io/files.h"
#include "core/model/incomplete_error.h"
#include "core/model/model_folder.h"
#include "core/model/runtime_module.h"
#include "core/session/generated_text.h"
#include "core/session/writing.h"
#include "core/support/precondition.h"
#include "widgets/view_models/image_file.h"

namespace fovea::widgets {

namespace {

using Clock = std::chrono::steady_clock;

std::unexpected<Error> cancelled() { return fail("cancelled", ErrorKind::Cancelled); }

Result<void> readTokenizer(const std::filesystem::path& folder, OpenedModel& opened) {
    auto tokenizer = text::Tokenizer::fromFolder(folder);
    if (!tokenizer) return std::unexpected(tokenizer.error());
    opened.tokenizer = std::move(*tokenizer);
    return {};
}

Result<void> readInputFiles(const ModelInfo& info, const RunControl& control, OpenedModel& opened) {
    if (info.readsText()) {
        control.report("reading the tokenizer", 0.05);
        if (auto read = readTokenizer(info.folder, opened); !read) return read;
    }
    if (!info.readsPictures()) return {};
    auto settings = image::readPreprocessing(info.folder, info.vision->imageHeight, info.vision->imageWidth);
    if (!settings) return std::unexpected(settings.error());
    opened.preprocessing = *settings;
    return {};
}

Result<OpenedModel> openModelFolder(const std::filesystem::path& folder, const LoadOptions& options,
                                    const RunControl& control) {
    control.report("reading the folder", 0.0);
    auto info = model::describeFolder(folder, options);
    if (!info) return std::unexpected(info.error());
    // Told before LibTorch is started, which takes longer than reading headers.
    if (auto error = model::incompleteError(*info)) return std::unexpected(*error);
    OpenedModel opened;
    if (auto read = readInputFiles(*info, control, opened); !read) return std::unexpected(read.error());
    if (control.stop.stop_requested()) return cancelled();
    control.report("starting LibTorch", 0.1);
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    if (control.stop.stop_requested()) return cancelled();
    control.report("loading the weights", 0.2);
    auto loaded = (*runtime)->load(folder, options, control);
    if (!loaded) return std::unexpected(loaded.error());
    opened.model = std::move(*loaded);
    return opened;
}

Result<std::shared_ptr<const ModelRun>> runOfDump(const OpenedModel& opened,
                                                  const session::InputChoice& input) {
    const session::AttentionDump& dump = *opened.dump;
    auto run = std::make_shared<ModelRun>(ModelRun{opened, input, {}, dump.trace, 0, {}});
    run->prepared.tokens = dump.trace->tokens;
    run->prepared.grid = dump.trace->grid;
    if (!dump.trace->grid) return run;
    std::shared_ptr<const image::RgbImage> decoded = dump.image;
    // A picture that the user chose stands in for one that has moved.
    const auto place = input.picture ? std::optional(input.picture->file) : dump.imageFile;
    if (place) {
        const auto file = decodeImage(*place);
        // Which file named it is what a user can change.
        if (!file && !input.picture) {
            return fail(dump.info.folder.string() + ": its picture: " + file.error().message,
                        file.error().kind);
        }
        if (!file) return std::unexpected(file.error());
        decoded = file->image;
        run->pictureNote = file->note;
    }
    if (decoded) {
        const PatchGrid& grid = *dump.trace->grid;
        run->prepared.picture = std::make_shared<const image::PreparedPicture>(
            image::framed(std::move(decoded), dump.frame, grid.rows, grid.columns));
    }
    return run;
}

// Hands on the text so far with every token.
class WritingLog {
public:
    WritingLog(const text::Tokenizer* tokenizer, std::function<void(const QString&, std::size_t)> each)
        : tokenizer_(tokenizer), each_(std::move(each)) {}
    TokenSink sink() {
        return [this](std::int64_t id) {
            ids_.push_back(id);
            if (each_) each_(QString::fromStdString(session::writtenText(tokenizer_, ids_)), ids_.size());
        };
    }

private:
    const text::Tokenizer* tokenizer_;
    std::function<void(const QString&, std::size_t)> each_;
    std::vector<std::int64_t> ids_;
};

// The end of a text, as a status line shows it.
std::string tailOf(const QString& text) {
    constexpr qsizetype longest = 40;
    const QString line = text.simplified();
    const QString shown = line.size() <= longest ? line : QChar(0x2026) + line.right(longest - 1);
    return QStringLiteral("writing “%1”").arg(shown).toStdString();
}

Result<session::PreparedInput> written(const OpenedModel& opened, const session::PreparedInput& prompt,
                                       const GenerationSettings& settings, const RunControl& control) {
    WritingLog log(opened.tokenizer.get(), [&](const QString& text, std::size_t count) {
        control.report(tailOf(text), static_cast<double>(count) / static_cast<double>(settings.newTokens));
    });
    // Not every layer of every token: the text so far says more.
    return session::continued(*opened.model, opened.tokenizer.get(), prompt, {}, settings, log.sink(),
                              {control.stop, {}});
}

QString textOfFile(const std::filesystem::path& path) {
    constexpr std::size_t limit = 64 * 1024;
    return QString::fromStdString(io::readTextFile(path, limit).value_or("")).trimmed();
}

}  // namespace

Result<OpenedModel> openSource(const std::filesystem::path& source, const LoadOptions& options,
                               const RunControl& control) {
    if (!session::looksLikeDump(source)) return openModelFolder(source, options, control);
    control.report("reading the attention", 0.0);
    auto dump = session::readAttentionDump(source, control);
    if (!dump) return std::unexpected(dump.error());
    OpenedModel opened;
    dump->info.folder = source;
    opened.dump = std::make_shared<const session::AttentionDump>(std::move(*dump));
    return opened;
}

Result<std::shared_ptr<const ModelRun>> runOwn(const OpenedModel& opened, const session::InputChoice& input,
                                               const RunControl& control) {
    if (opened.dump) return runOfDump(opened, input);
    DecodedImage decoded;
    if (input.picture) {
        control.report("reading the picture", 0.0);
        auto file = decodeImage(input.picture->file);
        if (!file) return std::unexpected(file.error());
        decoded = std::move(*file);
    }
    auto prepared = session::prepareInput(opened.tokenizer.get(), opened.model->info(), opened.preprocessing,
                                          input, decoded.image);
    if (!prepared) return std::unexpected(prepared.error());
    if (control.stop.stop_requested()) return cancelled();
    std::optional<session::PreparedInput> prompt;
    if (const auto settings = session::wantedWriting(opened.info(), input.text)) {
        prompt = std::move(*prepared);
        prepared = written(opened, *prompt, *settings, control);
        if (!prepared) return std::unexpected(prepared.error());
    }
    const auto start = Clock::now();
    auto own = labelledRun(*opened.model, *prepared, {}, control);
    if (!own) return std::unexpected(own.error());
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    return std::make_shared<const ModelRun>(ModelRun{opened, input, std::move(*prepared), std::move(*own),
                                                     took.count(), decoded.note, std::move(prompt)});
}

QString ModelRun::answer() const {
    const auto& labels = prepared.targetTokens.empty() ? prepared.tokens : prepared.targetTokens;
    return QString::fromStdString(session::writtenText(opened.tokenizer.get(), labels));
}

Result<QString> rewrittenAnswer(const ModelRun& run, const EntmaxParameters& mechanism,
                                const std::function<void(const QString&)>& each, const RunControl& control) {
    require(run.prompt.has_value() && run.canRunAgain(), "the model wrote something");
    const auto settings = session::wantedWriting(run.info(), run.input.text);
    require(settings.has_value(), "the input asks for writing");
    QString text;
    WritingLog log(run.opened.tokenizer.get(), [&](const QString& soFar, std::size_t) {
        text = soFar;
        if (each) each(soFar);
    });
    const auto whole =
        session::continued(*run.opened.model, run.opened.tokenizer.get(), *run.prompt,
                           MechanismPlan::everywhere(mechanism), *settings, log.sink(), control);
    if (!whole) return std::unexpected(whole.error());
    return text;
}

Result<std::shared_ptr<const Trace>> labelledRun(const LoadedModel& model,
                                                 const session::PreparedInput& prepared,
                                                 const MechanismPlan& plan, const RunControl& control) {
    auto ran = model.run(prepared.input, plan, control);
    if (!ran) return std::unexpected(ran.error());
    auto labelled = std::make_shared<Trace>(**ran);
    labelled->tokens = prepared.tokens;
    labelled->targetTokens = prepared.targetTokens;
    return labelled;
}

Result<std::shared_ptr<const Trace>> runWhatIf(const ModelRun& run, const EntmaxParameters& mechanism,
                                               const RunControl& control) {
    if (!run.canRunAgain()) {
        return fail(run.info().name +
                    " holds recorded attention: there is no model that a mechanism could act inside");
    }
    return labelledRun(*run.opened.model, run.prepared, MechanismPlan::everywhere(mechanism), control);
}

std::filesystem::path sourceOf(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto absolute = std::filesystem::absolute(path, ignored).lexically_normal();
    if (std::filesystem::is_regular_file(absolute, ignored)) {
        // The weights of a model folder have a dump's ending too.
        const bool ofFolder = std::filesystem::exists(absolute.parent_path() / "config.json", ignored);
        return session::looksLikeDump(absolute) && !ofFolder ? absolute : absolute.parent_path();
    }
    return absolute.has_filename() ? absolute : absolute.parent_path();
}

session::InputChoice openingInput(const ModelInfo& info, const std::filesystem::path& samplePicture) {
    session::InputChoice input;
    if (info.readsText()) {
        const QString text = textOfFile(info.folder / "sample.txt");
        const char* sentence =
            info.readsPictures() ? "What is in the picture?" : "The quick brown fox jumps over the lazy dog.";
        input.text.text = text.isEmpty() ? sentence : text.toStdString();
        input.text.generation = session::usualWriting(info);
    }
    if (!info.readsPictures()) return input;
    std::filesystem::path file = samplePicture;
    std::error_code ignored;
    for (const char* name : {"sample.jpg", "sample.png"}) {
        if (std::filesystem::exists(info.folder / name, ignored)) file = info.folder / name;
    }
    if (!file.empty()) input.picture = session::PictureChoice{file, {}};
    return input;
}

session::InputChoice fittedInput(session::InputChoice input, const OpenedModel& opened) {
    if (opened.dump) return input;
    const ModelInfo& info = opened.info();
    if (!info.writesAnswers()) input.text.target.reset();
    if (!info.generates) input.text.generation = {};
    if (!info.readsPictures()) input.picture.reset();
    if (!info.readsText()) input.text = {};
    return input;
}

QString inputText(const session::InputChoice& input) {
    QStringList parts;
    if (!input.text.text.empty()) parts << QString::fromStdString(input.text.text);
    if (input.text.pair) parts << QString::fromStdString(*input.text.pair);
    if (input.picture) parts << QString::fromStdString(input.picture->file.filename().string());
    return parts.join(QStringLiteral(" | "));
}

}  // namespace fovea::widgets
