# LibTorch, for the halves of core/model and core/training that stand behind the run-time module.
set(FOVEA_LIBTORCH "$ENV{FOVEA_LIBTORCH}" CACHE PATH "LibTorch's folder; empty: the system's")
if(FOVEA_LIBTORCH)
    list(PREPEND CMAKE_PREFIX_PATH ${FOVEA_LIBTORCH})
endif()
find_package(Torch REQUIRED)

add_library(fovea_libtorch INTERFACE)
# Newer LibTorch brings headers of its own fmt, which do not match the system's library: both work inline.
target_compile_definitions(fovea_libtorch INTERFACE FMT_HEADER_ONLY)
target_link_libraries(fovea_libtorch INTERFACE ${TORCH_LIBRARIES} ${CMAKE_DL_LIBS})
