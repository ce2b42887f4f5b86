# The C and C++ library of Kostra, in the folder that scripts/package makes:
#
#     find_package(kostra REQUIRED)
#     target_link_libraries(program PRIVATE kostra::kostra)
#
# kostra::static is the static library.
get_filename_component(_kostra_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

find_library(_kostra_shared NAMES kostra_capi PATHS "${_kostra_root}/lib" NO_DEFAULT_PATH)
if(NOT _kostra_shared)
    set(kostra_FOUND FALSE)
    set(kostra_NOT_FOUND_MESSAGE "${_kostra_root}/lib has no library kostra_capi")
    return()
endif()

if(NOT TARGET kostra::kostra)
    add_library(kostra::kostra UNKNOWN IMPORTED)
    set_target_properties(kostra::kostra PROPERTIES
        IMPORTED_LOCATION "${_kostra_shared}"
        IMPORTED_NO_SONAME TRUE
        INTERFACE_INCLUDE_DIRECTORIES "${_kostra_root}/include")
endif()

set(_kostra_static
    "${_kostra_root}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}kostra_capi${CMAKE_STATIC_LIBRARY_SUFFIX}")
if(EXISTS "${_kostra_static}" AND NOT TARGET kostra::static)
    find_package(Threads REQUIRED)
    add_library(kostra::static STATIC IMPORTED)
    set_target_properties(kostra::static PROPERTIES
        IMPORTED_LOCATION "${_kostra_static}"
        INTERFACE_INCLUDE_DIRECTORIES "${_kostra_root}/include"
        INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};$<$<BOOL:${UNIX}>:m>")
endif()
unset(_kostra_shared CACHE)
