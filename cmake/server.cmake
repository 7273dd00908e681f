# The contract, embedded.
embed(${CMAKE_SOURCE_DIR}/api/openapi.yaml api_openapi_yaml ${generated}/openapi.c)
