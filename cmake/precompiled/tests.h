// The same for tests.
#include <gtest/gtest.h>

#include "cmake/precompiled/model.h"
