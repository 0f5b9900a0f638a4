// The table at the end of a run.
#pragma once

#include <string>

#include "io/results/run_folder.h"
#include "io/results/summary.h"

namespace scree {

/// Times, contacts, accuracy and balances of a run, and how to look at its results.
std::string report_text(const io::Summary& summary, const io::RunFolder& folder,
                        const io::OutputSettings& output);

}  // namespace scree
