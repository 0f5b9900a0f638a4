// A page served over HTTP to browsers on this machine only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace scree::io {

/// What a request is answered with.
struct Answer {
  int status = 200;
  std::string type, text;  // of 204 and of refusals both may stay empty
};

/// Listens on the loopback interface, behind a random token of 128 bits in the path: who does not have the
/// address cannot guess it. Refused are other hosts in the request (403), which a page elsewhere could reach
/// by a name that it lets point here, other paths (404) and methods other than GET (405). There are no files
/// behind it, only what `handler` says.
class PageServer {
 public:
  /// `target` is what stands behind the token: "", "data?have=3".
  using Handler = std::function<Answer(const std::string& target)>;

  /// Port 0 takes any that is free. Throws std::system_error if the port cannot be had.
  PageServer(std::uint16_t port, Handler handler);
  ~PageServer();

  /// "http://127.0.0.1:40123/<token>/"
  const std::string& address() const;
  /// Answers, on this thread, until `over` says so; asks it ten times a second. What `handler` throws comes
  /// out here.
  void serve_until(const std::function<bool()>& over);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
