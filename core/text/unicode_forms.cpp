// SPDX-License-Identifier: GPL-3.0-or-later
// The library's own normalisation gives no alignment, so its two steps (UAX 15, section 1.3) are
// spelt out over its character data: decompose and sort marks, then compose.
#include "core/text/unicode_forms.h"

#include <algorithm>
#include <optional>

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "core/support/precondition.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Changes = std::vector<CharacterChange>;

int combiningClass(char32_t character) {
    const int own = u_getCombiningClass(static_cast<UChar32>(character));
    return own == 0 || isAssigned9(character) ? own : 0;
}

/// Full decomposition into `parts`; false when the character has none.
bool decompose(const icu::Normalizer2& forms, char32_t character, icu::UnicodeString& parts) {
    return character >= 0x80 && forms.getDecomposition(static_cast<UChar32>(character), parts) &&
           isAssigned9(character);
}

/// The character that both make; negative when there is none.
UChar32 compose(const icu::Normalizer2& forms, char32_t first, char32_t second) {
    const UChar32 pair = forms.composePair(static_cast<UChar32>(first), static_cast<UChar32>(second));
    return pair >= 0 && isAssigned9(static_cast<char32_t>(pair)) ? pair : U_SENTINEL;
}

const icu::Normalizer2& normalizer(bool compatible) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* found = compatible ? icu::Normalizer2::getNFKCInstance(status)
                                               : icu::Normalizer2::getNFCInstance(status);
    require(U_SUCCESS(status), "ICU has its normalisation data");
    return *found;
}

/// Sorts a run of combining marks by class; characters keep the change of their own origin.
void sortMarks(Changes& changes, std::size_t first) {
    std::stable_sort(changes.begin() + static_cast<std::ptrdiff_t>(first), changes.end(),
                     [](const CharacterChange& a, const CharacterChange& b) {
                         return combiningClass(a.character) < combiningClass(b.character);
                     });
}

Changes decomposed(std::string_view text, const icu::Normalizer2& forms) {
    Changes changes;
    changes.reserve(text.size());
    std::size_t marks = 0;  // where the current run of marks begins
    const auto add = [&](char32_t character, int change) {
        if (combiningClass(character) == 0) {
            sortMarks(changes, marks);
            changes.push_back({character, change});
            marks = changes.size();
        } else {
            changes.push_back({character, change});
        }
    };
    icu::UnicodeString parts;
    for (std::size_t position = 0; position < text.size();) {
        const CodePoint point = codePointAt(text, position);
        position += point.size;
        if (!decompose(forms, point.character, parts)) {
            add(point.character, 0);
            continue;
        }
        for (std::int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1)) {
            add(static_cast<char32_t>(parts.char32At(i)), i > 0 ? 1 : 0);
        }
    }
    sortMarks(changes, marks);
    return changes;
}

/// Composes a starter with what follows it (UAX 15, D117): a mark is blocked by one of the same or
/// a higher class before it.
Changes composed(const Changes& parts, const icu::Normalizer2& forms) {
    Changes changes;
    changes.reserve(parts.size());
    std::optional<std::size_t> starter;
    int lastClass = -1;  // of the marks kept since the starter; −1: none
    for (const CharacterChange& part : parts) {
        const int ownClass = combiningClass(part.character);
        if (starter && lastClass < ownClass) {
            CharacterChange& base = changes[*starter];
            const UChar32 pair = compose(forms, base.character, part.character);
            if (pair >= 0) {
                base = {static_cast<char32_t>(pair), base.change + part.change - 1};
                continue;
            }
        }
        changes.push_back(part);
        if (ownClass == 0) {
            starter = changes.size() - 1;
            lastClass = -1;
        } else if (starter) {
            lastClass = ownClass;
        }
    }
    return changes;
}

}  // namespace

void normalizeUnicode(NormalizedText& text, UnicodeForm form) {
    const icu::Normalizer2& forms = normalizer(form == UnicodeForm::KC || form == UnicodeForm::KD);
    const Changes parts = decomposed(text.text(), forms);
    const bool compose = form == UnicodeForm::C || form == UnicodeForm::KC;
    text.transform(compose ? composed(parts, forms) : parts, 0);
}

void lowerCase(NormalizedText& text) {
    Changes changes;
    changes.reserve(text.text().size());
    for (std::size_t position = 0; position < text.text().size();) {
        const CodePoint point = codePointAt(text.text(), position);
        position += point.size;
        const std::u32string lower = lowercased(point.character);
        for (std::size_t i = 0; i < lower.size(); ++i) changes.push_back({lower[i], i > 0 ? 1 : 0});
    }
    text.transform(changes, 0);
}

}  // namespace fovea::text
