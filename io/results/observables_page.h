// Text of docs/observables.md, made from the list of observables.
#pragma once

#include <string>

namespace scree::io {

std::string observables_page();

}  // namespace scree::io
