// The report at the end of a run.
#pragma once

#include <cstdio>
#include <string>

#include "io/results/run_folder.h"
#include "io/results/summary.h"

namespace scree {

/// The run's name, how it ended, and its times.
std::string headline_text(const io::Summary& summary);

/// Contacts, accuracy and balances of a run in a few lines. `details`: also the times of the stages, and all
/// terms of the energy balance.
std::string report_text(const io::Summary& summary, bool details);

/// The folder of the results, and commands to view them.
std::string next_text(const io::RunFolder& folder, const io::OutputSettings& output);

/// The verdict: its grade, and each finding that is not green with its meaning and advice. `coloured`
/// is for terminals.
std::string verdict_text(const io::Verdict& verdict, bool coloured);

/// Is this stream a terminal that supports colours, and does the user want them (NO_COLOR)?
bool takes_colours(std::FILE* stream);

}  // namespace scree
