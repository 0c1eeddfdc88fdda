// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_report.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>
#include <map>

#include "core/model/model_family.h"
#include "core/model/opening_advice.h"

namespace fovea::widgets {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("model report", text); }
QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
QString counted(std::uint64_t count) { return QLocale(QLocale::English).toString(qulonglong{count}); }

QString joined(const std::vector<std::string>& names, std::size_t most) {
    QStringList parts;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) parts << textOf(names[i]);
    if (names.size() > most) parts << tr("… %1 more").arg(names.size() - most);
    return parts.join(QStringLiteral(", "));
}

// "encoder: 6 sites of 12 heads · cross: 6 sites of 12 heads".
QString sitesText(const std::vector<Site>& sites) {
    std::map<SiteKind, std::pair<std::size_t, std::size_t>> stacks;
    for (const Site& site : sites) {
        auto& [count, heads] = stacks[site.kind];
        ++count;
        heads = std::max(heads, site.heads);
    }
    QStringList parts;
    for (const auto& [kind, sizes] : stacks) {
        const QString stack =
            stacks.size() > 1 ? textOf(siteKindName(kind)) + QStringLiteral(": ") : QString();
        parts << tr("%1%2 sites of %3 heads").arg(stack).arg(sizes.first).arg(sizes.second);
    }
    return parts.join(QStringLiteral(" · "));
}

QString layersText(const ModelInfo& info) {
    QString text = info.decoder ? tr("%1 and %2").arg(info.layers).arg(info.decoder->layers)
                                : QString::number(info.layers);
    if (info.leftOutLayers > 0) text += tr(" (the last %1 are left out)").arg(info.leftOutLayers);
    return text;
}

QString headsText(const ModelInfo& info) {
    const bool grouped = info.keyValueHeads > 0 && info.keyValueHeads < info.heads;
    return grouped ? tr("%1, %2 for keys and values").arg(info.heads).arg(info.keyValueHeads)
                   : QString::number(info.heads);
}

QString shapeText(const std::vector<std::size_t>& shape) {
    QStringList sizes;
    for (const std::size_t size : shape) sizes << QString::number(size);
    return QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

void appendNames(QString& text, const QString& title, const std::vector<std::string>& names) {
    text += QStringLiteral("%1\t%2\n").arg(title).arg(names.size());
    for (const std::string& name : names) text += QStringLiteral("\t%1\n").arg(textOf(name));
}

QString optionsText(const LoadOptions& options) {
    QStringList parts;
    if (options.bodyAlone) parts << tr("without its head");
    if (options.firstLayers) parts << tr("the first %1 layers").arg(*options.firstLayers);
    if (options.readAsTheyRun) parts << tr("layers are read as they run");
    return parts.join(QStringLiteral(", "));
}

}  // namespace

QString bytesText(std::uint64_t bytes) {
    return QLocale(QLocale::English).formattedDataSize(static_cast<qint64>(bytes), 1,
                                                       QLocale::DataSizeSIFormat);
}

std::vector<std::pair<QString, QString>> modelLines(const ModelInfo& info, const LoadOptions& options) {
    std::vector<std::pair<QString, QString>> lines;
    const auto add = [&lines](const QString& name, const QString& what) {
        if (!what.isEmpty()) lines.emplace_back(name, what);
    };
    const auto addCount = [&](const QString& name, std::uint64_t count) {
        if (count > 0) add(name, counted(count));
    };
    const model::MemoryNeed need = model::memoryNeed(info);
    add(tr("Name"), textOf(info.name));
    add(tr("Folder"), QDir::toNativeSeparators(textOf(info.folder.string())));
    add(tr("Architecture"), textOf(info.architecture));
    add(tr("Model type"), textOf(info.modelType));
    add(tr("Format"), textOf(info.format));
    add(tr("Opened"), optionsText(options));
    add(tr("Layers"), layersText(info));
    add(tr("Heads"), headsText(info));
    addCount(tr("Hidden size"), info.hiddenSize);
    addCount(tr("Vocabulary"), info.vocabularySize);
    addCount(tr("Positions"), info.maxPositions);
    addCount(tr("Parameters"), info.parameters);
    if (info.weightBytes > 0) {
        add(tr("Memory"), tr("%1 of weights, about %2 for a run of 512 tokens")
                              .arg(bytesText(need.weights), bytesText(need.run)));
    }
    add(tr("Attention"), sitesText(info.sites));
    add(tr("Outputs"), joined(info.outputs, 12));
    add(tr("Labels"), joined(info.labels, 12));
    const LoadReport& tensors = info.tensors;
    add(tr("Tensors"), tr("%1 used · %2 missing · %3 unexpected · %4 of another shape")
                           .arg(tensors.used.size())
                           .arg(tensors.missing.size())
                           .arg(tensors.unexpected.size())
                           .arg(tensors.mismatched.size()));
    return lines;
}

QString reportText(const ModelInfo& info, const LoadOptions& options) {
    QString text;
    for (const auto& [name, what] : modelLines(info, options))
        text += QStringLiteral("%1\t%2\n").arg(name, what);
    appendNames(text, tr("missing"), info.tensors.missing);
    appendNames(text, tr("of the head"), info.tensors.missingOfHead);
    text += QStringLiteral("%1\t%2\n").arg(tr("of another shape")).arg(info.tensors.mismatched.size());
    for (const ShapeMismatch& tensor : info.tensors.mismatched) {
        text += tr("\t%1: expected %2, found %3\n")
                    .arg(textOf(tensor.name), shapeText(tensor.expected), shapeText(tensor.found));
    }
    appendNames(text, tr("unexpected"), info.tensors.unexpected);
    appendNames(text, tr("left out"), info.tensors.leftOut);
    appendNames(text, tr("used"), info.tensors.used);
    return text;
}

QString openingNotice(const ModelInfo& info, const LoadOptions& options) {
    QStringList sentences;
    const QString name = textOf(info.name);
    const auto& fresh = info.tensors.missingOfHead;
    if (options.bodyAlone && !fresh.empty()) {
        sentences << tr("%1 is open without its head, whose weights are not in its files (%2): it gives "
                        "hidden states, no answers.")
                         .arg(name, joined(fresh, 2));
    } else if (options.bodyAlone) {
        sentences << tr("%1 is open without its head: it gives hidden states, no answers.").arg(name);
    }
    if (info.leftOutLayers > 0) {
        sentences << tr("The last %1 layers of %2 are left out: its outputs are not the model’s.")
                         .arg(info.leftOutLayers)
                         .arg(name);
    }
    return sentences.join(QLatin1Char(' '));
}

std::vector<SupportedFamily> supportedFamilies() {
    std::vector<SupportedFamily> families;
    for (const model::ModelFamily* family : model::modelFamilies()) {
        SupportedFamily supported{textOf(family->modelType), {}};
        for (const auto& [architecture, head] : family->architectures)
            supported.architectures << textOf(architecture);
        families.push_back(std::move(supported));
    }
    return families;
}

}  // namespace fovea::widgets
