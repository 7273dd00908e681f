# Included: what `cmake --install` puts where a distribution would. The service's unit is told where its program lies.
include(GNUInstallDirs)
set(made ${CMAKE_BINARY_DIR}/client/made)
install(TARGETS coalesced coalesce RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${made}/coalesce.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${made}/coalesce.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME coalesce)
install(FILES ${made}/_coalesce DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${made}/coalesce.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES README.md docs/devices.md docs/install.md docs/operating.md docs/measuring.md docs/slurm.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docker/prometheus/prometheus.yaml docker/prometheus/alerts.yaml docker/grafana/coalesced.json
  packages/examples/tokens packages/examples/devices.json DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES packages/kubernetes/coalesced.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples RENAME kubernetes.yaml)
# At the time of the installation, because a prefix may be given then.
install(CODE "
  file(READ \"${CMAKE_SOURCE_DIR}/packages/systemd/coalesced.service\" unit)
  string(REPLACE \"/usr/local/bin/\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/\" unit \"\${unit}\")
  file(WRITE \"${CMAKE_BINARY_DIR}/generated/coalesced.service\" \"\${unit}\")")
install(FILES ${CMAKE_BINARY_DIR}/generated/coalesced.service DESTINATION lib/systemd/system)
