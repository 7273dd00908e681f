# Included: coalesced(8), and `cpack -G DEB` (packages/build-deb does all of it). The package is what `cmake --install`
# puts into /usr, and what the component "debian" adds: a distribution's own places, and what its policy wants.
set(service_page ${CMAKE_BINARY_DIR}/generated/coalesced.8)
add_custom_command(OUTPUT ${service_page}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:coalesced> -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${service_page}
    -DPROJECT_VERSION=${PROJECT_VERSION} -P ${CMAKE_SOURCE_DIR}/cmake/manual.cmake
  DEPENDS coalesced cmake/manual.cmake packages/manual/coalesced.8.in packages/manual/options.awk
  COMMENT "Man page of coalesced" VERBATIM)
add_custom_target(service_manual ALL DEPENDS ${service_page})
add_dependencies(programs service_manual)
install(FILES ${service_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)

# Whoever packs or installs takes what is built, and builds nothing: tests do so while others run these programs.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(COALESCED_PACKAGE_RELEASE 1~local CACHE STRING "What stands behind the version in a package's, as 1~deb12")
set(COALESCED_MAINTAINER "coalesced maintainers <maintainers@coalesced.invalid>" CACHE STRING "Whom a package names")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME coalesced)
set(CPACK_PACKAGE_CONTACT "${COALESCED_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "memory experiments on a shared GPU, over HTTP")
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};coalesced;ALL;/;${CMAKE_BINARY_DIR};coalesced;debian;/")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${COALESCED_PACKAGE_RELEASE}")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${COALESCED_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A service that queues experiments on the memory of a GPU: kernels with an
access pattern, a size, a block and an offset. Each runs alone on its device,
every element of its output is checked, it is timed, and the answer has time,
bandwidth and what a model of the memory system predicts for it. Without a GPU
the same kernels run on the CPU.
.
The package has the service coalesced with its page for a browser, and the
command coalesce, which asks it from a terminal.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, debconf (>= 0.5) | debconf-2.0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "prometheus, clang")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
foreach(file postinst prerm postrm templates conffiles)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packages/debian/${file})
endforeach()
include(CPack)

# The changelog's date is the commit's, or today where the source is no checkout.
set(DEB_VERSION "${PROJECT_VERSION}-${COALESCED_PACKAGE_RELEASE}")
execute_process(COMMAND git -c safe.directory=${CMAKE_SOURCE_DIR} -C ${CMAKE_SOURCE_DIR} log -1 --format=%cD OUTPUT_VARIABLE DEB_DATE ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT DEB_DATE)
  string(TIMESTAMP DEB_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
configure_file(packages/debian/changelog.in ${CMAKE_BINARY_DIR}/generated/changelog.Debian @ONLY)

set(debian COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES packages/debian/default DESTINATION /etc/default RENAME coalesced ${debian})
install(FILES packages/debian/copyright packages/debian/README.Debian ${CMAKE_BINARY_DIR}/generated/changelog.Debian
  DESTINATION ${CMAKE_INSTALL_DOCDIR} ${debian})
install(FILES packages/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME coalesced ${debian})
# Policy: what people read of the changelog and the pages is compressed, without a time. zsh here looks elsewhere.
install(CODE [[
  set(usr $ENV{DESTDIR}/usr)
  file(GLOB pages ${usr}/share/man/man*/*.[0-9] ${usr}/share/doc/coalesced/changelog.Debian)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)]] ${debian})
