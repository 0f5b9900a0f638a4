// HDF5 files that are whole at any moment, whatever ends the program.
#pragma once

#include <filesystem>

#include "io/files/hdf5_objects.h"

// What HDF5 puts where nothing is yet goes into the file at once: nobody knows of it. What would overwrite a
// part of the file waits in memory, by pages, and is brought in by commit(), and when the file is whole again
// (H5Fflush) as often as takes a twentieth of the time: first a journal beside the file gets the pages, then
// the file, and then the journal goes; each on disk before the next. A process that is killed, a disk that is
// full and a machine that stops leave a file as it was at one of these moments, or one that its journal makes
// whole. (A redo log, as databases have it.)

namespace scree::io::hdf5 {

/// A new file; there must be none of its name. Errors name what the system says.
Handle create_journaled_file(const std::filesystem::path& path);
/// One that is there, for writing; its journal is brought in if there is one.
Handle open_journaled_file(const std::filesystem::path& path);
/// The same for reading; a journal is looked at but left alone.
Handle read_journaled_file(const std::filesystem::path& path);

/// Flushes, and puts all on disk now.
void commit(const Handle& file);
/// Has all that was flushed been brought in?
bool is_on_disk(const Handle& file);

/// "<file>.journal"
std::filesystem::path journal_name(const std::filesystem::path& path);

}  // namespace scree::io::hdf5
