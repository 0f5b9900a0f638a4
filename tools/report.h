// The table at the end of a run.
#pragma once

#include <cstdio>
#include <string>

#include "io/results/run_folder.h"
#include "io/results/summary.h"

namespace scree {

/// Times, contacts, accuracy and balances of a run, and commands to view its results.
std::string report_text(const io::Summary& summary, const io::RunFolder& folder,
                        const io::OutputSettings& output);

/// The verdict: its grade, and each finding that is not green with its meaning and advice. `coloured`
/// is for terminals.
std::string verdict_text(const io::Verdict& verdict, bool coloured);

/// Is this stream a terminal that supports colours, and does the user want them (NO_COLOR)?
bool takes_colours(std::FILE* stream);

}  // namespace scree
