// SPDX-License-Identifier: BSD-3-Clause
// The page before it is filled in: page.html with page.css and the scripts in it.
#pragma once

namespace tofa::cli {

extern const char* const kPageTemplate;

}  // namespace tofa::cli
