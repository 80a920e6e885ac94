# SPDX-License-Identifier: BSD-3-Clause
# Puts style and script into the page, and their hashes into its content security policy: a browser runs nothing else.

# csp_hash(RESULT TEXT): the SHA-256 of a text as the policy names it, in base64.
function(csp_hash result text)
  string(SHA256 hex "${text}")
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(base64 "")
  string(APPEND hex "00") # 256 bits are 64 digits; 66 are 22 times three, two digits of base64 each
  foreach(first RANGE 0 63 3)
    string(SUBSTRING ${hex} ${first} 3 three)
    math(EXPR high "0x${three} / 64")
    math(EXPR low "0x${three} % 64")
    string(SUBSTRING ${digits} ${high} 1 one)
    string(SUBSTRING ${digits} ${low} 1 other)
    string(APPEND base64 ${one}${other})
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  set(${result} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

set(TOFA_PAGE_FILES page/page.html page/page.css page/charts.js page/sizes.js page/ranks.js page/machine.js page/turning.js page/page.js page/template.cpp.in)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TOFA_PAGE_FILES})
file(READ page/page.css TOFA_PAGE_STYLE)
set(TOFA_PAGE_SCRIPT "")
foreach(script charts sizes ranks machine turning page) # the last one starts
  file(READ page/${script}.js text)
  string(APPEND TOFA_PAGE_SCRIPT "${text}")
endforeach()
csp_hash(TOFA_PAGE_STYLE_HASH "${TOFA_PAGE_STYLE}")
csp_hash(TOFA_PAGE_SCRIPT_HASH "${TOFA_PAGE_SCRIPT}")
configure_file(page/page.html ${CMAKE_CURRENT_BINARY_DIR}/page.html @ONLY)
file(READ ${CMAKE_CURRENT_BINARY_DIR}/page.html TOFA_PAGE)
configure_file(page/template.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/page_template.cpp @ONLY)
