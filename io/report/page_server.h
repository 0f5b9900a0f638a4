// A page served over HTTP to browsers on this machine only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace scree::io {

/// The answer to a request.
struct Answer {
  int status = 200;
  std::string type, text;  // may be empty for status 204 and for rejections
};

/// Listens on the loopback interface, behind a random token of 128 bits in the path, so that the address
/// cannot be guessed. It rejects requests for other hosts (403), because a foreign page could use a name that
/// points here; other paths (404); and methods other than GET (405). It serves no files, only the results of
/// `handler`.
class PageServer {
 public:
  /// `target` is the part after the token: "", "data?have=3".
  using Handler = std::function<Answer(const std::string& target)>;

  /// Port 0: any free port. Throws std::system_error if the port is not available.
  PageServer(std::uint16_t port, Handler handler);
  ~PageServer();

  /// "http://127.0.0.1:40123/<token>/"
  const std::string& address() const;
  /// Serves requests on this thread until `over` returns true, which is called ten times a second. Exceptions
  /// of `handler` pass through.
  void serve_until(const std::function<bool()>& over);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
