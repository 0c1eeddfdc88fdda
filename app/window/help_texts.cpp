// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help_texts.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QMessageBox>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "app/window/actions.h"
#include "widgets/view_models/model_report.h"

namespace fovea::app {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("help", text); }

QString shortcutRow(const QString& keys, QString what) {
    what.remove(QLatin1Char('&'));
    return QStringLiteral("<tr><td style=\"padding-right:18px\"><b>%1</b></td><td>%2</td></tr>")
        .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

void showText(const QString& title, const QString& text, QWidget* parent) {
    auto* box = new QMessageBox(QMessageBox::NoIcon, title, text, QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::RichText);
    box->setModal(false);
    box->show();
}

}  // namespace

void showShortcutsDialog(const Actions& actions, QWidget* parent) {
    QString rows;
    for (const QAction* action : actions.withShortcuts()) {
        rows += shortcutRow(action->shortcut().toString(QKeySequence::NativeText), action->text());
    }
    rows += shortcutRow(tr("Left, Right"), tr("Move the query of the active panel"));
    rows += shortcutRow(tr("Up, Down"), tr("Move to another head"));
    rows += shortcutRow(tr("Arrow keys over a picture"),
                        tr("Move the query by a patch; with Ctrl, to another head"));
    rows += shortcutRow(tr("Shift+click"), tr("Add a query, or take it out"));
    rows += shortcutRow(tr("Wheel, drag, + and -, 0"), tr("Magnify and move a picture, show all of it"));
    rows += shortcutRow(tr("Page Up, Page Down"), tr("Move to another layer"));
    showText(tr("Keyboard shortcuts"), QStringLiteral("<table>%1</table>").arg(rows), parent);
}

QString supportedModelsLine() {
    QStringList types;
    for (const widgets::SupportedFamily& family : widgets::supportedFamilies()) types << family.modelType;
    return types.join(QStringLiteral(", "));
}

// A list that may grow is scrolled, which a message box does not do.
void showSupportedModelsDialog(QWidget* parent) {
    QString rows;
    for (const widgets::SupportedFamily& family : widgets::supportedFamilies()) {
        rows += QStringLiteral("<tr><td style=\"padding-right:18px\"><b>%1</b></td><td>%2</td></tr>")
                    .arg(family.modelType.toHtmlEscaped(),
                         family.architectures.join(QStringLiteral(", ")).toHtmlEscaped());
    }
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Supported models"));
    auto* text = new QTextBrowser;
    text->setAccessibleName(tr("Supported models"));
    text->setHtml(tr("<p>Folders from a model hub whose config.json has one of these values of "
                     "“model_type”, with these architectures:</p><table cellpadding=\"3\">%1</table>")
                      .arg(rows));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(text);
    column->addWidget(buttons);
    dialog->resize(640, 460);
    dialog->show();
}

void showAboutDialog(QWidget* parent) {
    const QString text =
        tr("<h3>Fovea %1</h3><p>Shows what a model looks at, under any attention mechanism.</p>"
           "<p>Free software under the GNU General Public License, version 3 or later. "
           "Nothing is sent anywhere.</p>");
    showText(tr("About Fovea"), text.arg(QCoreApplication::applicationVersion()), parent);
}

}  // namespace fovea::app
