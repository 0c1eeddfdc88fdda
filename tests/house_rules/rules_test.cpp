// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each rule on snippets: what it must catch and what it must leave alone.
#include "tests/house_rules/rules.h"

#include <gtest/gtest.h>

namespace fovea::house_rules {
namespace {

std::size_t breachesIn(Rule rule, const std::string& path, const std::string& text) {
    return rule({path, text}).size();
}

TEST(Rooms, are_found_from_paths) {
    EXPECT_EQ(roomOf("core/io/files.h"), "io");
    EXPECT_EQ(roomOf("core/model/torch/runtime.cpp"), "model");
    EXPECT_EQ(roomOf("widgets/view_models/theme.h"), "view_models");
    EXPECT_EQ(roomOf("app/window/main_window.cpp"), "app");
    EXPECT_EQ(roomOf("tests/core/io/files_test.cpp"), "");
    EXPECT_EQ(roomOf("core/unheard_of/a.h"), "");
}

TEST(Breaches, name_file_and_line) {
    const auto breaches = qtInCore({"core/io/a.cpp", "\n\n#include <QString>\n"});
    ASSERT_EQ(breaches.size(), 1u);
    EXPECT_TRUE(listed(breaches).starts_with("core/io/a.cpp:3: QString")) << listed(breaches);
}

TEST(QtInCore, is_found_in_includes) {
    for (const char* header : {"<QString>", "<QtCore/QString>", "<QtGlobal>", "<qstring.h>",
                               "\"QtGui/qcolor.h\"", "<qcustomplot.h>", "<QPainter>"}) {
        EXPECT_EQ(breachesIn(qtInCore, "core/io/a.h", std::string("#include ") + header + "\n"), 1u)
            << header;
    }
}

TEST(QtInCore, is_found_in_identifiers) {
    for (const char* code :
         {"QString name;", "class A : public QObject {", "Q_OBJECT", "qDebug() << 1;", "Qt::Key key;",
          "QT_BEGIN_NAMESPACE", "using Names = std::vector<QByteArray>;"}) {
        EXPECT_GE(breachesIn(qtInCore, "core/session/a.cpp", code), 1u) << code;
    }
}

TEST(QtInCore, is_found_in_targets) {
    EXPECT_EQ(breachesIn(qtInCore, "core/io/CMakeLists.txt", "fovea_room(io PUBLIC Qt6::Core)"), 1u);
    EXPECT_EQ(breachesIn(qtInCore, "core/io/CMakeLists.txt", "fovea_qt_room(io)"), 1u);
}

TEST(QtInCore, leaves_other_words_and_rooms_alone) {
    EXPECT_EQ(breachesIn(qtInCore, "core/a.cpp",
                         "QueryIndex query; Quantile q; int QK; double qkv; quotable(\"QString\");"),
              0u);
    EXPECT_EQ(breachesIn(qtInCore, "core/a.cpp", "// QString\n/* QObject\n */ int a;"), 0u);
    EXPECT_EQ(breachesIn(qtInCore, "core/a.cpp", "#include \"core/session/question.h\"\n#include <queue>\n"),
              0u);
    EXPECT_EQ(breachesIn(qtInCore, "widgets/views/a.cpp", "#include <QString>\nQString a;"), 0u);
    EXPECT_EQ(breachesIn(qtInCore, "core/io/CMakeLists.txt", "# no Qt6::Core here\n"), 0u);
}

TEST(TorchInHeader, is_found) {
    for (const char* header : {"torch/torch.h", "ATen/ATen.h", "c10/core/Device.h", "caffe2/core/init.h"}) {
        const std::string text = std::string("#include <") + header + ">\n";
        EXPECT_EQ(breachesIn(torchInHeader, "core/trace/a.h", text), 1u) << header;
        EXPECT_EQ(breachesIn(torchInHeader, "tests/support/a.h", text), 1u) << header;
        EXPECT_EQ(breachesIn(torchInHeader, "core/model/torch/a.h", text), 0u) << header;
        EXPECT_EQ(breachesIn(torchInHeader, "core/training/a.h", text), 0u) << header;
        EXPECT_EQ(breachesIn(torchInHeader, "core/training/a.cpp", text), 0u) << header;
    }
    EXPECT_EQ(breachesIn(torchInHeader, "core/trace/a.h", "#include \"core/model/torch_names.h\"\n"), 0u);
}

TEST(Includes, of_lower_rooms_are_found) {
    const auto rooms = roomOrder();
    const auto folder = [](std::string_view room) {
        for (const char* group : {"core/", "widgets/"}) {
            if (roomOf(group + std::string(room) + "/a.h") == room && room != "app")
                return group + std::string(room);
        }
        return std::string("app");
    };
    for (std::size_t from = 0; from < rooms.size(); ++from) {
        for (std::size_t to = 0; to < rooms.size(); ++to) {
            const std::string text = "#include \"" + folder(rooms[to]) + "/b.h\"\n";
            EXPECT_EQ(breachesIn(includeOfLowerRoom, folder(rooms[from]) + "/a.cpp", text),
                      to > from ? 1u : 0u)
                << rooms[from] << " includes " << rooms[to];
        }
    }
}

TEST(Includes, of_tests_and_of_relative_paths_are_found) {
    EXPECT_EQ(breachesIn(includeOfLowerRoom, "app/a.cpp", "#include \"tests/support/near.h\"\n"), 1u);
    EXPECT_EQ(breachesIn(includeOfLowerRoom, "core/io/a.cpp", "  #  include \"../session/b.h\"\n"), 1u);
}

TEST(Includes, in_comments_and_of_the_system_are_left_alone) {
    EXPECT_EQ(
        breachesIn(includeOfLowerRoom, "core/io/a.cpp", "// #include \"app/main.h\"\n#include <vector>\n"),
        0u);
    EXPECT_EQ(breachesIn(includeOfLowerRoom, "tests/core/io/a.cpp", "#include \"core/session/b.h\"\n"), 0u);
}

TEST(Links, to_lower_rooms_are_found) {
    EXPECT_EQ(breachesIn(linkToLowerRoom, "core/io/CMakeLists.txt", "fovea_room(io\n PUBLIC fovea_session)"),
              1u);
    EXPECT_EQ(
        breachesIn(linkToLowerRoom, "widgets/views/CMakeLists.txt", "PRIVATE fovea_export fovea_painters"),
        1u);
    EXPECT_EQ(breachesIn(linkToLowerRoom, "core/model/CMakeLists.txt",
                         "target_link_libraries(x fovea_test_support)"),
              1u);
}

TEST(Links, to_rooms_above_are_left_alone) {
    EXPECT_EQ(breachesIn(linkToLowerRoom, "core/session/CMakeLists.txt",
                         "fovea_room(session PUBLIC fovea_trace fovea_io)"),
              0u);
    EXPECT_EQ(breachesIn(linkToLowerRoom, "core/io/CMakeLists.txt", "# not fovea_session\nfovea_room(io)"),
              0u);
    EXPECT_EQ(breachesIn(linkToLowerRoom, "tests/core/io/CMakeLists.txt", "fovea_session"), 0u);
}

TEST(Licence, must_come_first) {
    EXPECT_EQ(breachesIn(missingLicence, "core/io/a.h", "#pragma once\n"), 1u);
    EXPECT_EQ(breachesIn(missingLicence, "core/io/a.h", "\n// SPDX-License-Identifier: GPL-3.0-or-later\n"),
              1u);
    EXPECT_EQ(breachesIn(missingLicence, "core/io/a.h", "// SPDX-License-Identifier: MIT\n"), 1u);
    EXPECT_EQ(breachesIn(missingLicence, "core/io/a.h", "// SPDX-License-Identifier: GPL-3.0-or-later\n"),
              0u);
    EXPECT_EQ(breachesIn(missingLicence, "README.md", "# Fovea\n"), 0u);
}

TEST(Length, of_sources_is_bounded) {
    std::string text;
    for (int line = 0; line < 500; ++line) text += "\n";
    EXPECT_EQ(breachesIn(tooLong, "app/a.cpp", text), 0u);
    EXPECT_EQ(breachesIn(tooLong, "app/a.cpp", text + "\n"), 1u);
    EXPECT_EQ(breachesIn(tooLong, "resources/list.txt", text + "\n"), 0u);
}

TEST(Stripping, keeps_lines_and_code) {
    EXPECT_EQ(withoutComments("a // b\nc", false), "a     \nc");
    EXPECT_EQ(withoutComments("a /* b\n */ c", false), "a     \n    c");
    EXPECT_EQ(withoutComments("f(\"//\"); g", true), "f(\"//\"); g");
    EXPECT_EQ(withoutComments("f(\"x\\\"y\"); g", false), "f(      ); g");
    EXPECT_EQ(withoutComments("f('\"'); g", false), "f(   ); g");
    EXPECT_EQ(withoutComments("1'000 + 2'000", false), "1'000 + 2'000");
    EXPECT_EQ(withoutComments("R\"x(\" // )x\" + a", false), std::string(13, ' ') + "+ a");
}

}  // namespace
}  // namespace fovea::house_rules
