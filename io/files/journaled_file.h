// HDF5 files that are consistent at any time, however the program ends.
#pragma once

#include <filesystem>

#include "io/files/hdf5_objects.h"

// Data that HDF5 writes to unused space go into the file at once, because nothing refers to them. Data that
// would overwrite a part of the file wait in memory, by pages. They are written by commit(), and when the
// file is consistent again (H5Fflush), as often as a twentieth of the time allows: first the pages to a
// journal beside the file, then to the file, and then the journal is removed; each on disk before the next.
// After a killed process, a full disk or a stopped machine the file is as at one of these moments, or its
// journal restores that state. (A redo log, as in databases.)

namespace scree::io::hdf5 {

/// Creates a file; no file of its name may exist. Errors state the system's reason.
Handle create_journaled_file(const std::filesystem::path& path);
/// Opens an existing file for writing; applies its journal if there is one.
Handle open_journaled_file(const std::filesystem::path& path);
/// The same for reading; a journal is used but not changed.
Handle read_journaled_file(const std::filesystem::path& path);

/// Flushes, and puts everything on disk now.
void commit(const Handle& file);
/// Have all flushed data been written to the file?
bool is_on_disk(const Handle& file);

/// "<file>.journal"
std::filesystem::path journal_name(const std::filesystem::path& path);

}  // namespace scree::io::hdf5
