#include "io/files/journaled_file.h"

#include <H5FDpublic.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>
#include <zlib.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace scree::io::hdf5 {

namespace {

constexpr std::uint64_t page_size = 4096;
// Share of the elapsed time that commits may take.
constexpr double commit_part = 0.05;

using Clock = std::chrono::steady_clock;
using PageBytes = std::array<std::uint8_t, page_size>;
using Pages = std::unordered_map<std::uint64_t, PageBytes>;  // by number in the file

/// The head of a journal; it is followed by `pages` times a number and a page. Byte order of the machine.
struct JournalHead {
  std::array<char, 8> magic = {'S', 'c', 'r', 'e', 'e', 'J', '0', '1'};
  std::uint64_t pages = 0;
  std::uint64_t crc = 0;  // of the rest (CRC-32)
};

/// A file descriptor that is closed automatically.
class File {
 public:
  File(const std::filesystem::path& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int descriptor() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }
  bool write(std::uint64_t at, const void* data, std::size_t size) const {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t n = pwrite(fd_, from, size, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        if (n == 0) errno = ENOSPC;
        return false;
      }
      from += n;
      at += static_cast<std::uint64_t>(n);
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  /// Reads zeros beyond the end of the file.
  bool read(std::uint64_t at, void* data, std::size_t size) const {
    char* into = static_cast<char*>(data);
    while (size > 0) {
      const ssize_t n = pread(fd_, into, size, static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      if (n == 0) {
        std::memset(into, 0, size);
        break;
      }
      into += n;
      at += static_cast<std::uint64_t>(n);
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  bool sync() const { return fdatasync(fd_) == 0; }
  void empty() const {
    if (ftruncate(fd_, 0) == 0) sync();
  }
  std::uint64_t size() const {
    struct stat status = {};
    return is_open() && fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

 private:
  int fd_;
};

std::vector<std::uint64_t> in_order(const Pages& pages) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, page] : pages) numbers.push_back(number);
  std::ranges::sort(numbers);
  return numbers;
}

std::vector<std::uint8_t> to_bytes(const Pages& pages) {
  std::vector<std::uint8_t> bytes(sizeof(JournalHead));
  bytes.reserve(bytes.size() + pages.size() * (page_size + sizeof(std::uint64_t)));
  for (const auto& [number, page] : pages) {
    const auto* n = reinterpret_cast<const std::uint8_t*>(&number);
    bytes.insert(bytes.end(), n, n + sizeof number);
    bytes.insert(bytes.end(), page.begin(), page.end());
  }
  JournalHead head;
  head.pages = pages.size();
  head.crc = crc32_z(0, bytes.data() + sizeof head, bytes.size() - sizeof head);
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

/// The pages of a journal; none if it is incomplete: then its file has not been changed.
Pages read_journal(const std::filesystem::path& path) {
  const File journal(path, O_RDONLY);
  JournalHead head;
  const std::array<char, 8> magic = head.magic;
  if (!journal.is_open() || !journal.read(0, &head, sizeof head) || head.magic != magic) return {};
  constexpr std::uint64_t entry = page_size + sizeof(std::uint64_t);
  const std::uint64_t size = journal.size() - sizeof head;
  if (size % entry != 0 || head.pages != size / entry) return {};
  std::vector<std::uint8_t> bytes(size);
  if (!journal.read(sizeof head, bytes.data(), size) || crc32_z(0, bytes.data(), size) != head.crc) return {};
  Pages pages;
  for (std::uint64_t k = 0; k < head.pages; ++k) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + k * entry, sizeof number);
    std::memcpy(pages[number].data(), bytes.data() + k * entry + sizeof number, page_size);
  }
  return pages;
}

/// A file as seen by HDF5's driver. HDF5 casts between this and its first member.
struct JournaledFile {
  H5FD_t base = {};
  std::filesystem::path path;
  File file;
  bool writable;
  bool failed = false;      // from then on only data that were complete before are written
  std::uint64_t eoa = 0;    // as requested by HDF5, in bytes
  std::uint64_t end = 0;    // of the written data
  std::uint64_t whole = 0;  // end of the file when it was consistent last: data beyond it are written at once
  Pages pending;            // changes of the file since then
  Pages ready;              // changes before that, not in the file yet
  Clock::time_point next_commit = Clock::now();

  JournaledFile(const char* name, int flags, bool to_write)
      : path(name), file(name, flags), writable(to_write), end(file.size()), whole(end) {}

  bool load(std::uint64_t number, PageBytes& page) const {
    if (const auto found = ready.find(number); found != ready.end()) {
      page = found->second;
      return true;
    }
    return file.read(number * page_size, page.data(), page_size);
  }

  bool write(std::uint64_t at, const std::uint8_t* data, std::uint64_t size) {
    end = std::max(end, at + size);
    const std::uint64_t limit = (whole + page_size - 1) / page_size * page_size;
    while (size > 0 && at < limit) {
      const std::uint64_t number = at / page_size, offset = at % page_size,
                          n = std::min(size, page_size - offset);
      const auto [place, is_new] = pending.try_emplace(number);
      if (is_new && n < page_size && !load(number, place->second)) return false;
      std::memcpy(place->second.data() + offset, data, n);
      at += n;
      data += n;
      size -= n;
    }
    return size == 0 || file.write(at, data, size);
  }

  bool read(std::uint64_t at, std::uint8_t* into, std::uint64_t size) const {
    if (!file.read(at, into, size)) return false;
    for (const Pages* pages : {&ready, &pending}) {
      if (pages->empty()) continue;
      for (std::uint64_t number = at / page_size; number * page_size < at + size; ++number) {
        const auto found = pages->find(number);
        if (found == pages->end()) continue;
        const std::uint64_t begin = std::max(at, number * page_size),
                            stop = std::min(at + size, (number + 1) * page_size);
        std::memcpy(into + (begin - at), found->second.data() + (begin - number * page_size), stop - begin);
      }
    }
    return true;
  }

  /// HDF5 has reached a consistent state. The file gets the length that HDF5 requested, with allocated disk
  /// space, so that pages can always be written.
  bool take_pending() {
    if (const std::uint64_t size = file.size(); size < eoa) {
      const int error =
          posix_fallocate(file.descriptor(), static_cast<off_t>(size), static_cast<off_t>(eoa - size));
      if (error != 0) {
        errno = error;
        return false;
      }
    }
    end = std::max(end, eoa);
    for (auto& [number, page] : pending) ready.insert_or_assign(number, page);
    pending.clear();
    whole = end;
    return true;
  }

  bool bring_in() {
    const Clock::time_point begin = Clock::now();
    if (!file.sync()) return false;
    if (ready.empty()) return true;
    // If there is no space for a journal, the pages are written without one: they need no new space.
    const File journal(journal_name(path), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    if (journal.is_open()) {
      const std::vector<std::uint8_t> bytes = to_bytes(ready);
      if (!journal.write(0, bytes.data(), bytes.size()) || !journal.sync()) journal.empty();
    }
    for (const std::uint64_t number : in_order(ready)) {  // page 0 first: it limits what HDF5 reads
      const PageBytes& page = ready.at(number);
      const std::uint64_t at = number * page_size;
      if (!file.write(at, page.data(), std::min(page_size, std::max(whole, at) - at))) return false;
    }
    if (!file.sync()) return false;
    if (journal.is_open()) journal.empty();
    ready.clear();
    const Clock::time_point end_of_it = Clock::now();
    next_commit = end_of_it + std::chrono::duration_cast<Clock::duration>((end_of_it - begin) / commit_part);
    return true;
  }

  void remove_journal() const {
    std::error_code ignored;
    std::filesystem::remove(journal_name(path), ignored);
  }
};

JournaledFile& self(H5FD_t* file) { return *reinterpret_cast<JournaledFile*>(file); }
const JournaledFile& self(const H5FD_t* file) { return *reinterpret_cast<const JournaledFile*>(file); }

/// Runs code that may need memory; its exceptions must not pass through HDF5.
template <class F>
bool safely(F&& act) try {
  return act();
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return false;
}

/// Reports the reason to HDF5.
herr_t refuse(const char* function) {
  H5Epush2(H5E_DEFAULT, __FILE__, function, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR, "%s",
           std::strerror(errno));
  return -1;
}

H5FD_t* open_driver(const char* name, unsigned flags, hid_t, haddr_t) {
  const bool writable = (flags & H5F_ACC_RDWR) != 0;
  int how = writable ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_CREAT) != 0) how |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) how |= O_EXCL | O_NOFOLLOW;
  if ((flags & H5F_ACC_TRUNC) != 0) how |= O_TRUNC;
  std::unique_ptr<JournaledFile> opened;
  const bool done = safely([&] {
    opened = std::make_unique<JournaledFile>(name, how, writable);
    if (!opened->file.is_open()) return false;
    opened->ready = read_journal(journal_name(name));
    return !writable || opened->ready.empty() || opened->bring_in();
  });
  if (done) return &opened.release()->base;
  refuse(__func__);
  return nullptr;
}

herr_t flush_driver(H5FD_t* base, hid_t, hbool_t closing) {
  JournaledFile& f = self(base);
  if (!f.writable || f.failed) return 0;
  const bool later = !closing && Clock::now() < f.next_commit;
  if (safely([&] { return f.take_pending() && (later || f.bring_in()); })) return 0;
  f.failed = true;
  return refuse(__func__);
}

herr_t close_driver(H5FD_t* base) {
  JournaledFile* f = &self(base);
  bool good = true;
  if (f->writable) {
    f->pending.clear();  // there are some only if a flush has failed
    good = safely([&] { return f->bring_in(); });
    if (good) f->remove_journal();
  }
  good = f->file.close() && good;
  if (!good) refuse(__func__);
  delete f;
  return good ? 0 : -1;
}

int compare_driver(const H5FD_t* a, const H5FD_t* b) { return self(a).path.compare(self(b).path); }

herr_t query_driver(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return self(file).eoa; }
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file).eoa = address;
  return 0;
}
haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return self(file).end; }

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  *handle = file;
  return 0;
}

herr_t read_driver(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, void* into) {
  return self(file).read(at, static_cast<std::uint8_t*>(into), size) ? 0 : refuse(__func__);
}

herr_t write_driver(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, const void* data) {
  JournaledFile& f = self(file);
  if (f.failed) return 0;  // the failure was reported; HDF5 continues with its caches
  if (safely([&] { return f.write(at, static_cast<const std::uint8_t*>(data), size); })) return 0;
  f.failed = true;
  return refuse(__func__);
}

/// The driver of journaled files, created once.
hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t c = {};
#if H5_VERSION_GE(1, 13, 0)
    c.version = H5FD_CLASS_VERSION;
    c.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 0x5c);
#endif
    c.name = "scree_journal";
    c.maxaddr = HADDR_MAX / 2;
    c.fc_degree = H5F_CLOSE_WEAK;
    c.open = open_driver;
    c.close = close_driver;
    c.cmp = compare_driver;
    c.query = query_driver;
    c.get_eoa = get_eoa;
    c.set_eoa = set_eoa;
    c.get_eof = get_eof;
    c.get_handle = get_handle;
    c.read = read_driver;
    c.write = write_driver;
    c.flush = flush_driver;
    for (H5FD_mem_t& kind : c.fl_map) kind = H5FD_MEM_DEFAULT;
    return H5FDregister(&c);
  }();
  return id;
}

/// Properties of a file that is about to be opened.
Handle access_properties() {
  require_memory();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access properties");
  check(H5Pset_driver(access.get(), driver(), nullptr), "file access properties");
  // Headers with checksums; later formats are locked while they are written.
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), "file access properties");
  return access;
}

}  // namespace

std::filesystem::path journal_name(const std::filesystem::path& path) { return path.string() + ".journal"; }

Handle create_journaled_file(const std::filesystem::path& path) {
  return Handle(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access_properties().get()), H5Fclose,
                "creation");
}

Handle open_journaled_file(const std::filesystem::path& path) {
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access_properties().get()), H5Fclose, "opening");
}

Handle read_journaled_file(const std::filesystem::path& path) {
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_properties().get()), H5Fclose, "opening");
}

namespace {

JournaledFile* journaled_file(const Handle& file) {
  void* opened = nullptr;
  check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &opened), "flush");
  return static_cast<JournaledFile*>(opened);
}

}  // namespace

bool is_on_disk(const Handle& file) {
  const JournaledFile* const journaled = journaled_file(file);
  return journaled->ready.empty() && journaled->pending.empty();
}

void commit(const Handle& file) {
  check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "flush");
  JournaledFile* const journaled = journaled_file(file);
  if (journaled->failed) throw Error("flush: an earlier write failed");
  if (!safely([&] { return journaled->bring_in(); })) {
    journaled->failed = true;
    throw Error(std::string("flush: ") + std::strerror(errno));
  }
}

}  // namespace scree::io::hdf5
