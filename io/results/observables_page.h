// docs/observables.md, made of the list itself.
#pragma once

#include <string>

namespace scree::io {

std::string observables_page();

}  // namespace scree::io
