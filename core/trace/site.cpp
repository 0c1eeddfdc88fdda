// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/site.h"

#include "core/support/precondition.h"

namespace fovea {

std::string_view siteKindName(SiteKind kind) {
    switch (kind) {
        case SiteKind::Encoder: return "encoder";
        case SiteKind::Decoder: return "decoder";
        case SiteKind::Cross: return "cross";
    }
    require(false, "a site kind is one of its enumerators");
    return {};
}

}  // namespace fovea
