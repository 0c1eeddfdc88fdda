// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <optional>

namespace fovea::widgets {

/// What a drop would do, shown over a widget while something is dragged there: zones side by side, the
/// one under the pointer lit. Takes no events itself.
class DropOverlay final : public QWidget {
    Q_OBJECT

public:
    explicit DropOverlay(QWidget* over);
    /// Shows zones with these words, from left to right, over the whole widget.
    void offer(const QStringList& zones);
    /// Lights a zone; none: no zone.
    void light(std::optional<int> zone);
    /// The zone at a point of the widget below; none outside or without zones.
    std::optional<int> zoneAt(QPoint point) const;
    const QStringList& zones() const { return zones_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRect boxOf(int zone) const;
    QStringList zones_;
    std::optional<int> lit_;
};

}  // namespace fovea::widgets
