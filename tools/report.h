// The table at the end of a run.
#pragma once

#include <cstdio>
#include <string>

#include "io/results/run_folder.h"
#include "io/results/summary.h"

namespace scree {

/// Times, contacts, accuracy and balances of a run, and how to look at its results.
std::string report_text(const io::Summary& summary, const io::RunFolder& folder,
                        const io::OutputSettings& output);

/// The verdict: its grade, and of every finding that is not green what it is and what to change. `coloured`
/// is for terminals.
std::string verdict_text(const io::Verdict& verdict, bool coloured);

/// Does this stream lead to a terminal that shows colours, to somebody who wants them (NO_COLOR)?
bool takes_colours(std::FILE* stream);

}  // namespace scree
