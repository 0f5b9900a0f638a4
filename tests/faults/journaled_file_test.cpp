#include "io/files/journaled_file.h"

#include <csignal>
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <set>
#include <span>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files/packed_chunk.h"

namespace scree::io::hdf5 {
namespace {

std::filesystem::path new_folder() {
  const std::string pattern = (std::filesystem::temp_directory_path() / "scree_journal_XXXXXX").string();
  std::vector<char> name(pattern.begin(), pattern.end());
  name.push_back('\0');
  return mkdtemp(name.data());
}

class JournaledFile : public testing::Test {
 protected:
  std::filesystem::path folder_ = new_folder(), path_ = folder_ / "t.h5";
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

/// Two lists that grow together: a few numbers per frame, and many numbers per frame.
struct Lists {
  Growing frame, number;
  explicit Lists(hid_t file)
      : frame(file, {"frame", "1", "[frame]"}, H5T_NATIVE_INT64, {{}, 16, false}),
        number(file, {"number", "1", "[row]"}, H5T_NATIVE_INT64, {{}, 100, false}) {}
  void append() {
    const auto k = static_cast<std::int64_t>(frame.rows());
    const std::vector<std::int64_t> numbers(37, k);
    number.append(numbers.data(), numbers.size());
    frame.append(&k, 1);
  }
};

/// The number of frames of a file; reads every number of each frame. It reads a copy, like another process:
/// the writing process sees data that are not in the file yet.
std::int64_t whole_frames(const std::filesystem::path& path) {
  const std::filesystem::path copy = path.string() + ".copy";
  const auto overwrite = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(path, copy, overwrite);
  std::filesystem::remove(journal_name(copy));
  if (std::filesystem::exists(journal_name(path)))
    std::filesystem::copy_file(journal_name(path), journal_name(copy), overwrite);
  const Handle file = read_journaled_file(copy);
  const auto frames = read_rows<std::int64_t>(file.get(), "frame", H5T_NATIVE_INT64);
  const auto numbers = read_rows<std::int64_t>(file.get(), "number", H5T_NATIVE_INT64);
  EXPECT_EQ(numbers.size(), 37 * frames.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(numbers[k], static_cast<std::int64_t>(k / 37));
  return static_cast<std::int64_t>(frames.size());
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_F(JournaledFile, ChangesAppearOnlyAfterCommit) {
  Handle file = create_journaled_file(path_);
  Lists lists(file.get());
  commit(file);
  EXPECT_EQ(whole_frames(path_), 0);
  for (int k = 0; k < 5; ++k) lists.append();
  EXPECT_EQ(whole_frames(path_), 0);
  commit(file);
  EXPECT_EQ(whole_frames(path_), 5);
  EXPECT_EQ(std::filesystem::file_size(journal_name(path_)), 0u);
}

TEST_F(JournaledFile, ClosedFileIsAnOrdinaryHdf5File) {
  {
    Handle file = create_journaled_file(path_);
    Lists lists(file.get());
    for (int k = 0; k < 50; ++k) lists.append();
  }
  EXPECT_FALSE(std::filesystem::exists(journal_name(path_)));
  const Handle file = open_file(path_);
  EXPECT_EQ(dimensions(open_dataset(file.get(), "number")), std::vector<hsize_t>{50 * 37});
}

TEST_F(JournaledFile, CanBeTruncatedAndExtended) {
  {
    Handle file = create_journaled_file(path_);
    Lists lists(file.get());
    for (int k = 0; k < 20; ++k) lists.append();
  }
  {
    Handle file = open_journaled_file(path_);
    Lists lists(file.get());
    lists.frame.cut(7);
    lists.number.cut(7 * 37);
    for (int k = 0; k < 9; ++k) lists.append();
    EXPECT_THROW(lists.frame.cut(17), Error);
  }
  EXPECT_EQ(whole_frames(path_), 16);
}

/// Rows of three numbers: some vary in all bytes, others in a few or in none.
template <class T>
std::vector<T> some_rows(std::size_t first, std::size_t rows) {
  std::vector<T> values;
  for (std::size_t k = 3 * first; k < 3 * (first + rows); ++k)
    values.push_back(k % 3 == 0 ? static_cast<T>(0.1 * static_cast<double>(k * k % 7919))
                                : static_cast<T>(k % 3 == 1 ? k / 50 : 7));
  return values;
}

template <class T>
void expect_rows(hid_t file, hid_t type, std::size_t rows) {
  const Handle dataset = open_dataset(file, "vector");
  ASSERT_EQ(dimensions(dataset), (std::vector<hsize_t>{rows, 3}));
  std::vector<T> read(3 * rows);
  check(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), "vector");
  EXPECT_EQ(read, some_rows<T>(0, rows));
}

/// Writes pieces of many lengths, and reads them by HDF5, which also compares the checksums: after each
/// piece, after rows were removed, and after the file was opened again with a chunk that has just begun.
template <class T>
void write_and_read(const std::filesystem::path& path, hid_t type) {
  std::size_t rows = 0;
  const auto append = [&](Growing& vector, std::size_t n) {
    vector.append(some_rows<T>(rows, n).data(), n);
    rows += n;
    ASSERT_EQ(vector.rows(), rows);
  };
  const Label label{"vector", "m", "[row, 3]"};
  const Growing::Layout layout{{3}, 100, true};
  {
    Handle file = create_journaled_file(path);
    Growing vector(file.get(), label, type, layout);
    for (const std::size_t n : {1u, 99u, 100u, 37u, 0u, 412u, 1u}) {
      append(vector, n);
      expect_rows<T>(file.get(), type, rows);
    }
    for (const std::size_t keep : {640u, 600u, 333u}) {
      vector.cut(rows = keep);
      append(vector, 45);
      expect_rows<T>(file.get(), type, rows);
    }
  }
  Handle file = open_journaled_file(path);
  Growing vector(file.get(), label, type, layout);
  append(vector, 250);
  expect_rows<T>(file.get(), type, rows);
}

TEST_F(JournaledFile, CompressedRowsAreWhatWasWritten) {
  write_and_read<float>(folder_ / "float.h5", H5T_NATIVE_FLOAT);
  write_and_read<double>(folder_ / "double.h5", H5T_NATIVE_DOUBLE);
  write_and_read<std::int32_t>(folder_ / "int32.h5", H5T_NATIVE_INT32);
  write_and_read<std::int64_t>(folder_ / "int64.h5", H5T_NATIVE_INT64);
}

// Batches may be made ahead of the file, as by the rank that shares out their packing while the one before is
// written: the file has the same rows as without them.
TEST_F(JournaledFile, BatchesAreWrittenInOrder) {
  const auto write = [&](const std::filesystem::path& path, bool ahead) {
    Handle file = create_journaled_file(path);
    Growing vector(file.get(), {"vector", "m", "[row, 3]"}, H5T_NATIVE_FLOAT, {{3}, 100, true});
    Growing number(file.get(), {"number", "1", "[row]"}, H5T_NATIVE_INT64, {{}, 8, false});
    std::vector<RowBatch> batches;
    std::size_t rows = 0;
    for (const std::size_t n : {1u, 99u, 37u, 0u, 412u, 1u}) {
      RowBatch& batch = batches.emplace_back();
      vector.append(some_rows<float>(rows, n).data(), n, batch);
      const auto end = static_cast<std::int64_t>(rows += n);
      number.append(&end, 1, batch);
      if (!ahead) batch.write();
    }
    if (ahead)
      for (RowBatch& batch : batches) {
        if (std::vector<Piece*> pieces = batch.pieces(); !pieces.empty()) pack(*pieces.back());
        batch.write();
      }
    expect_rows<float>(file.get(), H5T_NATIVE_FLOAT, rows);
    EXPECT_EQ(read_rows<std::int64_t>(file.get(), "number", H5T_NATIVE_INT64),
              (std::vector<std::int64_t>{1, 100, 137, 137, 549, 550}));
  };
  write(folder_ / "at once.h5", false);
  write(folder_ / "ahead.h5", true);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "at once.h5"),
            std::filesystem::file_size(folder_ / "ahead.h5"));
}

// HDF5 itself would store the same numbers with the same checksum, if it packed with the same library: the
// chunk of one that it wrote without deflate differs only there.
TEST_F(JournaledFile, ShuffleAndChecksumsAreThoseOfHdf5) {
  const Handle file = create_journaled_file(path_);
  const auto stored = [&](const char* name, bool shuffle, std::span<const std::byte> bytes, hid_t type) {
    const hsize_t n = bytes.size() / H5Tget_size(type);
    const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose, name);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
    check(H5Pset_chunk(properties.get(), 1, &n), name);
    if (shuffle) check(H5Pset_shuffle(properties.get()), name);
    check(H5Pset_fletcher32(properties.get()), name);
    const Handle dataset(
        H5Dcreate2(file.get(), name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Dclose,
        name);
    check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), name);
    check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), name);
    std::vector<std::byte> chunk(bytes.size() + 4);
    const hsize_t offset = 0;
    std::uint32_t filters = 0;
    check(H5Dread_chunk(dataset.get(), H5P_DEFAULT, &offset, &filters, chunk.data()), name);
    return chunk;
  };
  std::vector<std::int32_t> all;
  for (std::int32_t k = 0; k < 60; ++k) all.push_back(k * k % 17 * 1000003 - 40);
  std::set<std::size_t> parities;
  for (std::size_t n = 1; n <= all.size(); ++n) {
    const auto values = std::as_bytes(std::span(all).first(n));
    const std::vector<std::byte> ours = packed_chunk(values, sizeof all[0]);
    ASSERT_GT(ours.size(), 4u);
    const std::span<const std::byte> stream(ours.data(), ours.size() - 4);
    std::vector<std::byte> shuffled(values.size());
    uLongf size = shuffled.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(shuffled.data()), &size,
                         reinterpret_cast<const Bytef*>(stream.data()), stream.size()),
              Z_OK);
    ASSERT_EQ(size, shuffled.size());
    const std::string name = std::to_string(n);
    std::vector<std::byte> theirs = stored(("values" + name).c_str(), true, values, H5T_NATIVE_INT32);
    theirs.resize(theirs.size() - 4);
    EXPECT_EQ(theirs, shuffled);
    EXPECT_EQ(stored(("stream" + name).c_str(), false, stream, H5T_NATIVE_UCHAR), ours);
    parities.insert(stream.size() % 2);
  }
  EXPECT_EQ(parities.size(), 2u);  // checksums of odd and even numbers of bytes
}

// A program that is killed while it writes pages into the file leaves a part of them there, and the journal.
TEST_F(JournaledFile, JournalRepairsAPartiallyWrittenFile) {
  std::string before, after;
  {
    Handle file = create_journaled_file(path_);
    Lists lists(file.get());
    for (int k = 0; k < 3; ++k) lists.append();
    commit(file);
    before = bytes_of(path_);
    for (int k = 0; k < 40; ++k) lists.append();
    commit(file);
    after = bytes_of(path_);
  }
  // A journal with the changed pages, as in the format: head, then number and bytes of each page.
  constexpr std::size_t page = 4096;
  std::string body;
  std::uint64_t pages = 0;
  for (std::size_t at = 0; at < before.size(); at += page) {
    const std::string now = after.substr(at, page);
    if (now == before.substr(at, page)) continue;
    const std::uint64_t number = at / page;
    body.append(reinterpret_cast<const char*>(&number), sizeof number);
    body += now;
    body.resize(++pages * (sizeof number + page));
  }
  ASSERT_GT(pages, 0u);
  std::uint32_t crc = ~0u;  // CRC-32, bit by bit
  for (const char c : body) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  const std::uint64_t head[2] = {pages, static_cast<std::uint32_t>(~crc)};
  const std::string journal =
      "ScreeJ01" + std::string(reinterpret_cast<const char*>(head), sizeof head) + body;

  // The data behind the old end were written before; of the pages none, some or all.
  for (std::size_t done = 0; done <= before.size(); done += page) {
    const std::string torn = after.substr(0, done) + before.substr(std::min(done, before.size())) +
                             after.substr(std::max(done, before.size()));
    std::ofstream(path_, std::ios::binary) << torn;
    std::ofstream(journal_name(path_), std::ios::binary) << journal;
    EXPECT_EQ(whole_frames(path_), 43) << done;
    EXPECT_EQ(bytes_of(path_), torn) << "reading changes nothing";
    { const Handle healed = open_journaled_file(path_); }
    EXPECT_FALSE(std::filesystem::exists(journal_name(path_)));
    EXPECT_EQ(whole_frames(path_), 43) << done;
  }
  // An incomplete journal belongs to an unchanged file.
  std::ofstream(path_, std::ios::binary) << before + after.substr(before.size());
  std::ofstream(journal_name(path_), std::ios::binary) << journal.substr(0, journal.size() - 1);
  EXPECT_EQ(whole_frames(path_), 3);
}

TEST_F(JournaledFile, AKilledWriterLeavesWholeFrames) {
  std::minstd_rand random(7);
  std::int64_t seen = 0;
  for (int trial = 0; trial < 40; ++trial) {
    std::filesystem::remove(path_);
    std::filesystem::remove(journal_name(path_));
    {
      Handle file = create_journaled_file(path_);
      Lists lists(file.get());
    }
    const pid_t child = fork();
    if (child == 0) {
      Handle file = open_journaled_file(path_);
      for (Lists lists(file.get());;) {
        lists.append();
        commit(file);
      }
    }
    usleep(static_cast<useconds_t>(random() % 20'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    seen += whole_frames(path_);
    { const Handle healed = open_journaled_file(path_); }
    const Handle file = open_file(path_);  // as any program opens it
    const auto frames = dimensions(open_dataset(file.get(), "frame"))[0];
    EXPECT_EQ(dimensions(open_dataset(file.get(), "number"))[0], 37 * frames);
  }
  EXPECT_GT(seen, 0);
}

TEST_F(JournaledFile, FullDiskKeepsCommittedFrames) {
  for (rlim_t limit = 3000; limit < 40'000; limit += 4777) {
    std::filesystem::remove(path_);
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      print_no_errors();
      int told = 0;
      {
        Handle file = create_journaled_file(path_);
        Lists lists(file.get());
        commit(file);
        const rlimit most{limit + std::filesystem::file_size(path_), RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &most);
        try {
          for (;;) {
            for (int k = 0; k < 4; ++k) lists.append();
            commit(file);
          }
        } catch (const Error& error) {
          told = std::string(error.what()).find("File too large") != std::string::npos ? 1 : 2;
        }
      }
      _exit(told);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << limit;
    EXPECT_EQ(WEXITSTATUS(status), 1) << limit;
    const std::int64_t frames = whole_frames(path_);
    EXPECT_TRUE(frames > 0 || limit < 5000) << limit;
    std::filesystem::remove(journal_name(path_));  // it was not needed
    EXPECT_EQ(whole_frames(path_), frames) << limit;
  }
}

}  // namespace scree::io::hdf5
