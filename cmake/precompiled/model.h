// libraries.h and the engine's model, for code that uses the whole engine: io, tools and tests.
#include <fmt/format.h>

#include "cmake/precompiled/libraries.h"
#include "engine/simulation/step.h"
