#include "io/files/hdf5_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <new>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/hdf5_library.h"
#include "io/files/input_file.h"

namespace scree::io::hdf5 {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

constexpr std::uint64_t library_bytes = 512u << 20;  // memory that HDF5 may use in addition to its answer
constexpr double usual_patience_s = 1.0;             // processor time for one answer ...
constexpr double bytes_per_second = 50e6;            // ... and for the data that must be read for it
constexpr std::uint64_t most_message = std::uint64_t{256}
                                       << 20;  // bytes, for an answer that consists of texts

enum class Question : std::uint8_t { look, read, texts };

// --- bytes in both directions

struct Closed {};  // the other end is closed
struct Refused : Error {
  using Error::Error;
};

void send_all(int socket, const void* data, std::size_t n) {
  const auto* at = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t sent = ::send(socket, at, n, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Closed{};
    at += sent;
    n -= static_cast<std::size_t>(sent);
  }
}

void receive_all(int socket, void* data, std::size_t n) {
  auto* at = static_cast<char*>(data);
  while (n > 0) {
    const ssize_t got = ::recv(socket, at, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Closed{};
    at += got;
    n -= static_cast<std::size_t>(got);
  }
}

/// Values are read in the order in which they were written.
class Message {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void put(const std::vector<std::uint64_t>& numbers) {
    put(static_cast<std::uint64_t>(numbers.size()));
    for (const std::uint64_t n : numbers) put(n);
  }

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, part(sizeof value), sizeof value);
    return value;
  }
  std::string take_text() {
    const auto n = take<std::uint64_t>();
    return {part(n), n};
  }
  std::vector<std::uint64_t> take_numbers() {
    const auto n = take<std::uint64_t>();
    if (n > most_dimensions) throw Closed{};
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t k = 0; k < n; ++k) numbers.push_back(take<std::uint64_t>());
    return numbers;
  }

  void send_to(int socket) const {
    const std::uint64_t n = bytes_.size();
    send_all(socket, &n, sizeof n);
    send_all(socket, bytes_.data(), n);
  }
  static Message receive_from(int socket) {
    std::uint64_t n = 0;
    receive_all(socket, &n, sizeof n);
    if (n > most_message) throw Closed{};
    Message message;
    message.bytes_.resize(n);
    receive_all(socket, message.bytes_.data(), n);
    return message;
  }

 private:
  /// Data from a process in which HDF5 may have corrupted memory may be invalid.
  const char* part(std::uint64_t n) {
    if (n > bytes_.size() - at_) throw Closed{};
    const char* const begin = bytes_.data() + at_;
    at_ += n;
    return begin;
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

// --- the answering process

std::uint64_t own_address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void limit(__rlimit_resource what, std::uint64_t most) {
  rlimit given{};
  getrlimit(what, &given);
  given.rlim_cur = std::min<rlim_t>(given.rlim_max, most);
  setrlimit(what, &given);
}

/// Hides the parent program's data from this process, and suppresses its messages.
void withdraw(int& socket, std::uint64_t file_bytes) {
  constexpr int kept = 3;
  if (socket != kept) ::dup2(socket, kept);
  socket = kept;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) {
    if (!sanitized || signal == SIGPROF) std::signal(signal, SIG_DFL);
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!sanitized) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
    limit(RLIMIT_AS, own_address_space() + library_bytes + 3 * most_answer_bytes(file_bytes));
  }
  limit(RLIMIT_CORE, 0);
  ::close_range(kept + 1, ~0u, 0);
}

/// The system ends this process if it uses more processor time than this from now on.
void allow_time(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void send_error(int socket, const std::string& problem) {
  Message answer;
  answer.put(false);
  answer.put(problem);
  answer.send_to(socket);
}

void answer_look(ContentSource& source, const Place& place, int socket) {
  const Content content = source.look(place);
  Message answer;
  answer.put(true);
  answer.put(content.kind);
  answer.put(content.values);
  answer.put(content.dims);
  answer.send_to(socket);
}

void answer_texts(ContentSource& source, const Place& place, int socket) {
  const std::vector<std::string> texts = source.texts(place);
  Message answer;
  answer.put(true);
  answer.put(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) answer.put(text);
  answer.send_to(socket);
}

void answer_read(ContentSource& source, const Place& place, Message& question, int socket) {
  const auto element = question.take<Element>();
  const Box box{question.take_numbers(), question.take_numbers()};
  std::vector<std::byte> values;
  source.read(place, box, element, [&](std::uint64_t bytes) {
    values.resize(bytes);
    return std::span(values);
  });
  Message answer;
  answer.put(true);
  answer.put(static_cast<std::uint64_t>(values.size()));
  answer.send_to(socket);
  send_all(socket, values.data(), values.size());
}

/// Answers until the other end is closed.
void answer_questions(const std::filesystem::path& path, std::uint64_t file_bytes, const Answerer& answerer,
                      double patience_s, int socket) {
  const double through_file_s = patience_s + static_cast<double>(file_bytes) / bytes_per_second;
  const double room_s = static_cast<double>(most_answer_bytes(file_bytes)) / bytes_per_second;
  std::unique_ptr<ContentSource> source;
  stay_within_file();
  for (;;) {
    Message question = Message::receive_from(socket);
    const auto kind = question.take<Question>();
    Place place;
    place.path = question.take_text();
    place.attribute = question.take_text();
    allow_time(through_file_s + std::min(room_s, through_file_s));
    try {
      if (!source) source = answerer(path);
      if (kind == Question::look) answer_look(*source, place, socket);
      if (kind == Question::read) answer_read(*source, place, question, socket);
      if (kind == Question::texts) answer_texts(*source, place, socket);
    } catch (const Error& error) {
      send_error(socket, error.what());
    } catch (const std::bad_alloc&) {
      send_error(socket, "needs more memory than is plausible for a file of this size");
    } catch (const std::length_error&) {
      send_error(socket, "needs more memory than is available");
    }
    allow_time(0.0);
  }
}

// --- the asking process

class Process final : public ContentSource {
 public:
  Process(const std::filesystem::path& path, const Answerer& answerer, double patience_s) {
    if (const std::string problem = file_problem(path); !problem.empty()) throw Error(problem);
    const std::uint64_t file_bytes = std::filesystem::file_size(path);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw Error(std::strerror(errno));
    process_ = ::fork();
    if (process_ == 0) {
      try {
        ::close(ends[0]);
        withdraw(ends[1], file_bytes);
        answer_questions(path, file_bytes, answerer, patience_s, ends[1]);
      } catch (...) {  // the asking process has ended
      }
      ::_exit(0);  // without the exit handlers of the parent program, which would close its files
    }
    ::close(ends[1]);
    socket_ = ends[0];
    if (process_ < 0) {
      ::close(socket_);
      throw Error(std::strerror(errno));
    }
  }
  ~Process() override { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Content look(const Place& place) override {
    return asked(Question::look, place, {}, [](Message& answer) {
      Content content;
      content.kind = answer.take<Content::Kind>();
      content.values = answer.take<Content::Values>();
      content.dims = answer.take_numbers();
      return content;
    });
  }

  void read(const Place& place, const Box& box, Element element, const Room& room) override {
    asked(
        Question::read, place,
        [&](Message& question) {
          question.put(element);
          question.put(box.start);
          question.put(box.count);
        },
        [&](Message& answer) {
          const std::span<std::byte> into = room(answer.take<std::uint64_t>());
          receive_all(socket_, into.data(), into.size());
          return true;
        });
  }

  std::vector<std::string> texts(const Place& place) override {
    return asked(Question::texts, place, {}, [](Message& answer) {
      std::vector<std::string> texts;
      for (auto n = answer.take<std::uint64_t>(); n > 0; --n) texts.push_back(answer.take_text());
      return texts;
    });
  }

 private:
  template <class Take>
  std::invoke_result_t<Take, Message&> asked(Question kind, const Place& place,
                                             const std::function<void(Message&)>& more, Take&& take) {
    if (process_ < 0) throw Error(broken_);
    try {
      Message question;
      question.put(kind);
      question.put(place.path);
      question.put(place.attribute);
      if (more) more(question);
      question.send_to(socket_);
      Message answer = Message::receive_from(socket_);
      if (answer.take<bool>()) return take(answer);
      throw Refused(answer.take_text());
    } catch (const Refused& refused) {
      throw Error(refused.what());
    } catch (const Closed&) {
      end();
      throw Error(broken_);
    } catch (...) {  // parts of the answer may be left in the channel
      end();
      throw;
    }
  }

  void end() {
    if (process_ < 0) return;
    ::close(socket_);
    ::kill(process_, SIGKILL);  // has no effect if it has ended already
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    broken_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF
                  ? "the HDF5 library does not finish with it: the file is damaged"
                  : "the HDF5 library crashes on it: the file is damaged";
  }

  pid_t process_ = -1;
  int socket_ = -1;
  std::string broken_;
};

}  // namespace

std::unique_ptr<ContentSource> content_by_process(const std::filesystem::path& path) {
  return content_by_process(path, library_content, usual_patience_s);
}

std::unique_ptr<ContentSource> content_by_process(const std::filesystem::path& path, const Answerer& answerer,
                                                  double patience_s) {
  return std::make_unique<Process>(path, answerer, patience_s);
}

}  // namespace scree::io::hdf5
