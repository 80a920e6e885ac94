// SPDX-License-Identifier: BSD-3-Clause
// The page: web/page.html, page.js and page.css as texts, which the build makes of these files.
#pragma once

namespace tofa::health {

extern const char* const kPageHtml;
extern const char* const kPageScript;
extern const char* const kPageStyle;

}  // namespace tofa::health
