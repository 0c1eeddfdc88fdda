// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode_properties.h"

#include <cstdint>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>

namespace fovea::text {
namespace {

UChar32 icu(char32_t character) { return static_cast<UChar32>(character); }

/// Whether the character was assigned in Unicode `version`.0.
bool assignedBy(char32_t character, int version) {
    UVersionInfo age;
    u_charAge(icu(character), age);
    return age[0] > 0 && (age[0] < version || (age[0] == version && age[1] == 0));
}

bool inCategories(char32_t character, std::uint32_t mask) {
    return (U_GET_GC_MASK(icu(character)) & mask) != 0;
}

}  // namespace

bool isWhiteSpace(char32_t character) { return u_isUWhiteSpace(icu(character)); }

bool isNumeric(char32_t character) { return inCategories(character, U_GC_N_MASK); }

bool isWordCharacter(char32_t character) {
    return u_hasBinaryProperty(icu(character), UCHAR_ALPHABETIC) || character == 0x200C ||
            character == 0x200D ||
           inCategories(character, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK);
}

bool isPunctuation8(char32_t character) {
    if (character < 0x80) return u_ispunct(icu(character)) || inCategories(character, U_GC_S_MASK);
    // U+166D and U+111C9 were punctuation then.
    if (character == 0x166D || character == 0x111C9) return true;
    return inCategories(character, U_GC_P_MASK) && assignedBy(character, 8);
}

bool isControl8(char32_t character) {
    if (character == '\t' || character == '\n' || character == '\r') return false;
    if (inCategories(character, U_GC_CO_MASK)) return true;
    return inCategories(character, U_GC_CC_MASK | U_GC_CF_MASK) && assignedBy(character, 8);
}

bool isNonspacingMark8(char32_t character) {
    switch (character) {
        case 0x1734: return true;  // became Mc later
        case 0x1885: case 0x1886: case 0xA9BD: case 0x111C9: return false;  // became Mn later
        default: return inCategories(character, U_GC_MN_MASK) && assignedBy(character, 8);
    }
}

bool isMark9(char32_t character) {
    switch (character) {
        case 0x1CF2: case 0x1CF3: return true;  // became letters later
        case 0x111C9: return false;             // became a mark later
        default: return inCategories(character, U_GC_M_MASK) && assignedBy(character, 9);
    }
}

bool isAssigned9(char32_t character) { return assignedBy(character, 9); }

int scriptOf9(char32_t character) {
    if (!assignedBy(character, 9)) return kNoScript;
    switch (character) {  // these changed later
        case 0x0589: case 0x061C: return USCRIPT_COMMON;
        case 0x0953: case 0x0954: return USCRIPT_DEVANAGARI;
        default: break;
    }
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(icu(character), &status);
    return U_FAILURE(status) || script == USCRIPT_UNKNOWN ? kNoScript : static_cast<int>(script);
}

bool isBertIdeograph(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x2F800 && c <= 0x2FA1F);
}

std::u32string lowercased(char32_t character) {
    if (character == 0x130) return U"i\u0307";  // the only mapping to more than one character
    return {static_cast<char32_t>(u_tolower(icu(character)))};
}

}  // namespace fovea::text
