// SPDX-License-Identifier: GPL-3.0-or-later
//
// A pickle is a program for a machine with a stack and a memo, an opcode of one byte and its argument at a
// time. Numbers are little-endian unless said otherwise; a "line" ends in '\n'.
//
//   constants      N none, \x88 true, \x89 false, J int32, K uint8, M uint16, \x8a n(1) n bytes and
//                  \x8b n(4) n bytes of a signed number, G float64 (big-endian)
//   texts          X n(4) UTF-8, \x8c n(1), \x8d n(8); T n(4) and U n(1): texts of Python 2;
//                  B n(4) bytes, C n(1), \x8e n(8), \x96 n(8)
//   containers     ( mark; ) empty tuple, t tuple down to the mark, \x85 \x86 \x87 tuples of 1, 2, 3;
//                  ] empty list, l list, a append, e append down to the mark;
//                  } empty dictionary, d dictionary, s set an item, u set items down to the mark;
//                  \x8f empty set, \x90 add down to the mark, \x91 frozen set down to the mark
//   memo           q n(1) and r n(4) put, \x94 put under the next number, h n(1) and j n(4) get
//   names          c module line, name line; \x93 the same from two texts on the stack
//   objects        R call, \x81 new object (a call, to us), b state of an object (dropped), Q something that
//                  the file keeps elsewhere
//   others         \x80 n(1) protocol, \x95 n(8) frame (its length is not needed), 0 drop, 1 drop down to the
//                  mark, 2 double the top, . end
//
// Python's own reader calls whatever function a pickle names. This one keeps names as values.
#include "core/io/pickle_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "core/io/message_text.h"

namespace fovea::io {
namespace {

// Far more than the state of any model takes, and what memory has room for.
constexpr std::size_t mostOpcodes = std::size_t{1} << 23;
constexpr std::size_t mostValues = std::size_t{1} << 22;

// Opcodes that are left out, by the names of the format's own description.
struct OpcodeName {
    unsigned char code;
    std::string_view name;
};
constexpr OpcodeName refusedOpcodes[] = {
    {'i', "INST"},     {'o', "OBJ"},        {'P', "PERSID"},      {'S', "STRING"},
    {'V', "UNICODE"},  {'I', "INT"},        {'L', "LONG"},        {'F', "FLOAT"},
    {'g', "GET"},      {'p', "PUT"},        {0x82, "EXT1"},       {0x83, "EXT2"},
    {0x84, "EXT4"},    {0x92, "NEWOBJ_EX"}, {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};

// A name as a message may quote it; a damaged file may hold anything there.
std::string plainly(std::string_view name) {
    std::string text = quotable(name);
    std::ranges::replace_if(text, [](char c) { return (c & 0x80) != 0; }, '?');
    return text;
}

class Machine {
public:
    Machine(std::span<const std::byte> bytes, std::string_view source,
            bool (*permitted)(std::string_view, std::string_view))
        : bytes_(bytes), source_(source), permitted_(permitted) {}

    Result<Pickle> run() && {
        std::size_t opcodes = 0;
        while (problem_.empty()) {
            opcodeAt_ = at_;
            const auto code = static_cast<unsigned char>(number<std::uint8_t>());
            if (!problem_.empty()) break;
            if (++opcodes > mostOpcodes) {
                refuse(fmt::format("more than {} opcodes", mostOpcodes));
                break;
            }
            if (code == '.') return finished();
            if (!constant(code) && !container(code) && !memo(code) && !object(code)) refuseOpcode(code);
        }
        return fail(fmt::format("{}: byte {} of the pickle: {}", source_, opcodeAt_, problem_));
    }

private:
    void refuse(std::string reason) {
        if (problem_.empty()) problem_ = std::move(reason);
    }

    void refuseOpcode(unsigned char code) {
        for (const OpcodeName& known : refusedOpcodes) {
            if (known.code == code)
                return refuse(fmt::format("uses the opcode {}, which is not read", known.name));
        }
        refuse(fmt::format("0x{:02x} is no opcode: not a pickle, or damaged", unsigned{code}));
    }

    Result<Pickle> finished() {
        if (!marks_.empty()) {
            return fail(fmt::format("{}: byte {} of the pickle: ends within {} marks, expected none", source_,
                                    opcodeAt_, marks_.size()));
        }
        if (stack_.size() != 1) {
            return fail(fmt::format("{}: byte {} of the pickle: ends with {} values, expected 1", source_,
                                    opcodeAt_, stack_.size()));
        }
        pickle_.root = stack_.front();
        pickle_.size = at_;
        return std::move(pickle_);
    }

    std::span<const std::byte> take(std::uint64_t count) {
        if (count > bytes_.size() - at_) {
            refuse(fmt::format("takes {} bytes, but only {} follow: cut short", count, bytes_.size() - at_));
            return {};
        }
        const auto part = bytes_.subspan(at_, count);
        at_ += count;
        return part;
    }

    template <class T>
    T number() {
        T value{};
        if (const auto part = take(sizeof value); !part.empty())
            std::memcpy(&value, part.data(), sizeof value);
        return value;
    }

    std::string_view text(std::uint64_t count) {
        const auto part = take(count);
        return {reinterpret_cast<const char*>(part.data()), part.size()};
    }

    std::string_view line() {
        constexpr std::size_t longest = 1024;
        const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                                    std::min(bytes_.size() - at_, longest));
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) {
            refuse(rest.size() < longest ? "a name that the file's end cuts short" : "a name without an end");
            return {};
        }
        at_ += end + 1;
        return rest.substr(0, end);
    }

    void push(PickleValue value) {
        if (pickle_.values.size() == mostValues)
            return refuse(fmt::format("more than {} values", mostValues));
        stack_.push_back(static_cast<PickleIndex>(pickle_.values.size()));
        pickle_.values.push_back(std::move(value));
    }
    void pushText(std::string_view text, PickleKind kind = PickleKind::Text) {
        push({.kind = kind, .text = text});
    }
    void pushNumber(std::int64_t value, PickleKind kind = PickleKind::Number) {
        push({.kind = kind, .number = value});
    }

    // A number of any length in two's complement.
    void pushLong(std::uint64_t count) {
        const std::string_view digits = text(count);
        if (digits.size() > sizeof(std::int64_t)) return pushText(digits, PickleKind::LongNumber);
        std::uint64_t value = !digits.empty() && (digits.back() & 0x80) ? ~std::uint64_t{0} : 0;
        if (!digits.empty()) std::memcpy(&value, digits.data(), digits.size());
        pushNumber(static_cast<std::int64_t>(value));
    }

    std::size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }

    std::optional<PickleIndex> pop() {
        if (stack_.size() <= bottom()) {
            refuse("takes a value that is not there");
            return std::nullopt;
        }
        const PickleIndex top = stack_.back();
        stack_.pop_back();
        return top;
    }

    std::vector<PickleIndex> popLast(std::size_t count) {
        if (stack_.size() - bottom() < count) {
            refuse("takes values that are not there");
            return {};
        }
        std::vector<PickleIndex> items(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
        stack_.resize(stack_.size() - count);
        return items;
    }

    std::vector<PickleIndex> popToMark() {
        if (marks_.empty()) {
            refuse("has no mark");
            return {};
        }
        std::vector<PickleIndex> items = popLast(stack_.size() - marks_.back());
        marks_.pop_back();
        return items;
    }

    // The container on top of the stack grows.
    void extend(PickleKind kind, const std::vector<PickleIndex>& items) {
        if (!problem_.empty()) return;
        if (stack_.size() <= bottom() || pickle_.values[stack_.back()].kind != kind)
            return refuse("adds items to something that takes none");
        if (kind == PickleKind::Dictionary && items.size() % 2 != 0)
            return refuse("sets a key without value");
        std::vector<PickleIndex>& all = pickle_.values[stack_.back()].items;
        all.insert(all.end(), items.begin(), items.end());
    }

    bool constant(unsigned char code) {
        switch (code) {
            case 'N': push({}); return true;
            case 0x88: pushNumber(1, PickleKind::Boolean); return true;
            case 0x89: pushNumber(0, PickleKind::Boolean); return true;
            case 'J': pushNumber(number<std::int32_t>()); return true;
            case 'K': pushNumber(number<std::uint8_t>()); return true;
            case 'M': pushNumber(number<std::uint16_t>()); return true;
            case 0x8a: pushLong(number<std::uint8_t>()); return true;
            case 0x8b: pushLong(number<std::uint32_t>()); return true;
            case 'G':
                push({.kind = PickleKind::Real,
                      .real = std::bit_cast<double>(std::byteswap(number<std::uint64_t>()))});
                return true;
            case 'X':
            case 'T': pushText(text(number<std::uint32_t>())); return true;
            case 0x8c:
            case 'U': pushText(text(number<std::uint8_t>())); return true;
            case 0x8d: pushText(text(number<std::uint64_t>())); return true;
            case 'B': pushText(text(number<std::uint32_t>()), PickleKind::Bytes); return true;
            case 'C': pushText(text(number<std::uint8_t>()), PickleKind::Bytes); return true;
            case 0x8e:
            case 0x96: pushText(text(number<std::uint64_t>()), PickleKind::Bytes); return true;
            default: return false;
        }
    }

    bool container(unsigned char code) {
        const auto filled = [&](PickleKind kind, std::vector<PickleIndex> items) {
            if (kind == PickleKind::Dictionary && items.size() % 2 != 0) refuse("sets a key without value");
            push({.kind = kind, .items = std::move(items)});
        };
        switch (code) {
            case '(': marks_.push_back(stack_.size()); return true;
            case ')': filled(PickleKind::Tuple, {}); return true;
            case 't':
            case 0x91: filled(PickleKind::Tuple, popToMark()); return true;
            case 0x85: filled(PickleKind::Tuple, popLast(1)); return true;
            case 0x86: filled(PickleKind::Tuple, popLast(2)); return true;
            case 0x87: filled(PickleKind::Tuple, popLast(3)); return true;
            case ']':
            case 0x8f: filled(PickleKind::List, {}); return true;
            case 'l': filled(PickleKind::List, popToMark()); return true;
            case '}': filled(PickleKind::Dictionary, {}); return true;
            case 'd': filled(PickleKind::Dictionary, popToMark()); return true;
            case 'a': extend(PickleKind::List, popLast(1)); return true;
            case 'e':
            case 0x90: extend(PickleKind::List, popToMark()); return true;
            case 's': extend(PickleKind::Dictionary, popLast(2)); return true;
            case 'u': extend(PickleKind::Dictionary, popToMark()); return true;
            default: return false;
        }
    }

    bool memo(unsigned char code) {
        switch (code) {
            case 'q': put(number<std::uint8_t>()); return true;
            case 'r': put(number<std::uint32_t>()); return true;
            case 0x94: put(static_cast<std::uint32_t>(memo_.size())); return true;
            case 'h': get(number<std::uint8_t>()); return true;
            case 'j': get(number<std::uint32_t>()); return true;
            default: return false;
        }
    }

    void put(std::uint32_t place) {
        if (stack_.size() <= bottom()) return refuse("takes a value that is not there");
        memo_[place] = stack_.back();
    }

    void get(std::uint32_t place) {
        const auto found = memo_.find(place);
        if (found == memo_.end()) return refuse(fmt::format("refers to value {}, which was not kept", place));
        stack_.push_back(found->second);
    }

    bool object(unsigned char code) {
        switch (code) {
            case 'c': {
                const std::string_view module = line();
                name(module, line());
                return true;
            }
            case 0x93: nameFromStack(); return true;
            case 'R':
            case 0x81: call(); return true;
            case 'Q': push({.kind = PickleKind::Persistent, .items = popLast(1)}); return true;
            case 'b': pop(); return true;
            case '0': pop(); return true;
            case '1': popToMark(); return true;
            case '2':
                if (const auto top = pop()) stack_.insert(stack_.end(), {*top, *top});
                return true;
            case 0x80: protocol(number<std::uint8_t>()); return true;
            case 0x95: number<std::uint64_t>(); return true;
            default: return false;
        }
    }

    void protocol(unsigned version) {
        constexpr unsigned newest = 5;
        if (version > newest) refuse(fmt::format("protocol {}, expected at most {}", version, newest));
    }

    void nameFromStack() {
        const std::vector<PickleIndex> parts = popLast(2);
        if (parts.empty()) return;
        const PickleValue &module = pickle_.values[parts[0]], &called = pickle_.values[parts[1]];
        if (module.kind != PickleKind::Text || called.kind != PickleKind::Text)
            return refuse("names a function by something that is no text");
        name(module.text, called.text);
    }

    void name(std::string_view module, std::string_view called) {
        if (!problem_.empty()) return;
        if (!permitted_(module, called)) {
            return refuse(
                fmt::format("names the function {}.{}, which is never called: only tensors, numbers, "
                            "texts and containers of them are read",
                            plainly(module), plainly(called)));
        }
        push({.kind = PickleKind::Global, .text = module, .name = called});
    }

    // Ordered dictionaries are dictionaries at once, as items are set in them later.
    void call() {
        std::vector<PickleIndex> parts = popLast(2);
        if (parts.empty()) return;
        const PickleValue &called = pickle_.values[parts[0]], &arguments = pickle_.values[parts[1]];
        if (called.kind != PickleKind::Global || arguments.kind != PickleKind::Tuple)
            return refuse("calls something that is no named function");
        if (called.name != "OrderedDict") return push({.kind = PickleKind::Call, .items = std::move(parts)});
        PickleValue dictionary{.kind = PickleKind::Dictionary};
        // Python 2 gives all items as a list of pairs.
        if (!arguments.items.empty()) {
            const std::vector<PickleIndex>& pairs = pickle_.values[arguments.items[0]].items;
            // One list may be named again and again.
            pairs_ += pairs.size();
            if (pairs_ > mostValues) return refuse(fmt::format("more than {} items", mostValues));
            for (const PickleIndex pair : pairs) {
                const std::vector<PickleIndex>& both = pickle_.values[pair].items;
                if (both.size() != 2) return refuse("makes a dictionary of something that is no pairs");
                dictionary.items.insert(dictionary.items.end(), both.begin(), both.end());
            }
        }
        push(std::move(dictionary));
    }

    std::span<const std::byte> bytes_;
    std::string_view source_;
    bool (*permitted_)(std::string_view, std::string_view);
    std::size_t at_ = 0;
    std::size_t opcodeAt_ = 0;
    std::string problem_;
    std::size_t pairs_ = 0;
    Pickle pickle_;
    std::vector<PickleIndex> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint32_t, PickleIndex> memo_;
};

}  // namespace

const PickleValue& Pickle::item(const PickleValue& value, std::size_t index) const {
    static const PickleValue none;
    return index < value.items.size() ? values[value.items[index]] : none;
}

std::string globalName(const PickleValue& global) { return fmt::format("{}.{}", global.text, global.name); }

Result<Pickle> readPickle(std::span<const std::byte> bytes, std::string_view source,
                          bool (*permitted)(std::string_view module, std::string_view name)) {
    return Machine(bytes, source, permitted).run();
}

}  // namespace fovea::io
