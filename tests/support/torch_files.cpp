// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/torch_files.h"

#include <cstring>

namespace fovea::test {

namespace {

template <class T>
std::string bytesOf(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::uint16_t short16(std::size_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

std::uint32_t crcOf(std::string_view bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0U);
    }
    return ~crc;
}

PickleText& PickleText::raw(std::string_view bytes) {
    code += bytes;
    return *this;
}

PickleText& PickleText::text(std::string_view value) {
    return raw("X").raw(bytesOf(narrow(value.size()))).raw(value);
}

PickleText& PickleText::number(std::int64_t value) {
    const auto small = static_cast<std::int32_t>(value);
    if (small == value) return raw("J").raw(bytesOf(small));
    return raw("\x8a\x08").raw(bytesOf(value));
}

PickleText& PickleText::global(std::string_view module, std::string_view name) {
    return raw("c").raw(module).raw("\n").raw(name).raw("\n");
}

PickleText& PickleText::numbers(const std::vector<std::int64_t>& values) {
    raw("(");
    for (const std::int64_t value : values) number(value);
    return raw("t");
}

std::string statePickle(const std::vector<PickledTensor>& tensors) {
    PickleText pickle;
    pickle.global("collections", "OrderedDict").raw(")R(");
    for (const PickledTensor& tensor : tensors) {
        pickle.text(tensor.name).global("torch._utils", "_rebuild_tensor_v2").raw("((");
        pickle.text("storage").global("torch", tensor.type).text(tensor.key).text(tensor.device);
        pickle.number(tensor.storageCount).raw("tQ").number(tensor.offset);
        pickle.numbers(tensor.shape).numbers(tensor.strides).raw("\x89");
        pickle.global("collections", "OrderedDict").raw(")RtR");
    }
    return pickle.raw("u").done();
}

std::string ZipText::done() const {
    constexpr std::uint32_t full = 0xFFFFFFFF;
    std::string file, directory;
    for (const auto& [name, content] : entries) {
        const std::uint64_t place = file.size(), size = content.size();
        const std::uint32_t told = laterSizes ? 0 : narrow(size);
        const std::uint16_t flag = short16(flags | (laterSizes ? 8 : 0));
        const std::uint32_t crc = crcOf(content);
        file += "PK\x03\x04" + bytesOf(std::uint16_t{45}) + bytesOf(flag) + bytesOf(method) +
                std::string(4, '\0') + bytesOf(laterSizes ? 0 : crc) + bytesOf(told) + bytesOf(told) +
                bytesOf(short16(name.size())) + bytesOf(std::uint16_t{0}) + name + content;
        if (laterSizes)
            file += "PK\x07\x08" + bytesOf(crc) + bytesOf(narrow(size)) + bytesOf(narrow(size));
        const std::string extra = wide ? bytesOf(std::uint16_t{1}) + bytesOf(std::uint16_t{24}) +
                                             bytesOf(size) + bytesOf(size) + bytesOf(place)
                                       : std::string();
        directory += "PK\x01\x02" + bytesOf(std::uint16_t{45}) + bytesOf(std::uint16_t{45}) + bytesOf(flag) +
                     bytesOf(method) + std::string(4, '\0') + bytesOf(crc) +
                     bytesOf(wide ? full : narrow(size)) + bytesOf(wide ? full : narrow(size)) +
                     bytesOf(short16(name.size())) + bytesOf(short16(extra.size())) + std::string(10, '\0') +
                     bytesOf(wide ? full : narrow(place)) + name + extra;
    }
    const std::uint64_t begin = file.size() + movedDirectory, count = entries.size();
    file += directory;
    if (wide) {
        const std::uint64_t end = file.size();
        file += "PK\x06\x06" + bytesOf(std::uint64_t{44}) + std::string(12, '\0') + bytesOf(count) +
                bytesOf(count) + bytesOf(std::uint64_t{directory.size()}) + bytesOf(begin);
        file += "PK\x06\x07" + std::string(4, '\0') + bytesOf(end) + std::string(4, '\1');
    }
    file += "PK\x05\x06" + std::string(4, '\0') + bytesOf(wide ? std::uint16_t{0xFFFF} : short16(count)) +
            bytesOf(wide ? std::uint16_t{0xFFFF} : short16(count)) +
            bytesOf(wide ? full : narrow(directory.size())) + bytesOf(wide ? full : narrow(begin)) +
            bytesOf(std::uint16_t{0});
    file.resize(file.size() - missingAtEnd);
    return file;
}

std::string torchZip(const std::string& pickle,
                     const std::vector<std::pair<std::string, std::string>>& storages) {
    ZipText zip{{{"archive/data.pkl", pickle}, {"archive/byteorder", "little"}}};
    for (const auto& [key, bytes] : storages) zip.entries.emplace_back("archive/data/" + key, bytes);
    zip.entries.emplace_back("archive/version", "3\n");
    return zip.done();
}

std::string torchOld(const std::string& pickle,
                     const std::vector<std::pair<std::string, std::string>>& storages,
                     std::size_t elementBytes, bool littleEndian) {
    std::string file("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
    file += PickleText().number(1001).done();
    file += PickleText().raw("}(").text("little_endian").raw(littleEndian ? "\x88u" : "\x89u").done();
    file += pickle;
    PickleText keys;
    keys.raw("](");
    for (const auto& [key, bytes] : storages) keys.text(key);
    file += keys.raw("e").done();
    for (const auto& [key, bytes] : storages)
        file += bytesOf(std::uint64_t{bytes.size() / elementBytes}) + bytes;
    return file;
}

}  // namespace fovea::test
