# What every room shares: warnings, include root, sanitizers; and one call to make a room.
add_library(fovea_flags INTERFACE)
target_include_directories(fovea_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(fovea_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-psabi)
if(FOVEA_SANITIZE)
    # vptr: an object made in the run-time module has its type information there, hidden.
    set(fovea_sanitizers -fsanitize=${FOVEA_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
    target_compile_options(fovea_flags INTERFACE ${fovea_sanitizers})
    target_link_options(fovea_flags INTERFACE ${fovea_sanitizers})
endif()

# fovea_room(NAME [SOURCES file...] [PUBLIC lib...] [PRIVATE lib...])
# Makes the static library fovea_NAME.
function(fovea_room name)
    cmake_parse_arguments(room "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(fovea_${name} STATIC ${room_SOURCES})
    target_link_libraries(fovea_${name} PUBLIC fovea_flags ${room_PUBLIC} PRIVATE ${room_PRIVATE})
endfunction()

# fovea_qt_room(...): the same for a room that uses Qt.
function(fovea_qt_room name)
    fovea_room(${name} ${ARGN})
    set_target_properties(fovea_${name} PROPERTIES AUTOMOC ON)
    target_compile_definitions(fovea_${name} PUBLIC QT_NO_KEYWORDS)
endfunction()
