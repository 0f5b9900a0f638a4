#include "io/files/journaled_file.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
