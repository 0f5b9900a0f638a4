#include "io/report/page_server.h"

// clang-format off
#include <utility>  // first: awaitable.hpp of Boost 1.74 forgets it
// clang-format on
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <list>
#include <random>
#include <sys/resource.h>
#include <system_error>

namespace scree::io {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

constexpr std::chrono::milliseconds turn{100};     // interval of the check whether to end
constexpr std::chrono::seconds patience{30};       // for a browser that sends nothing, or does not read
constexpr std::uint32_t longest_header = 8 << 10;  // bytes
constexpr std::size_t most_connections = 64;       // browsers open six per server
constexpr std::chrono::milliseconds retry{100};    // if the system has no resources for another connection
// The page loads nothing from elsewhere, is not stored, and cannot be embedded in another page.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// 128 bits of the system's randomness, in hexadecimal digits.
std::string random_token() {
  std::random_device device;
  std::string token;
  for (int word = 0; word < 4; ++word) token += fmt::format("{:08x}", device());
  return token;
}

/// Connections at a time: at most a quarter of the descriptors, so that answers find some.
std::size_t connection_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return most_connections;
  return std::clamp<std::size_t>(limit.rlim_cur / 4, 1, most_connections);
}

}  // namespace

struct PageServer::Parts {
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  std::string path = "/" + random_token() + "/", address;
  std::uint16_t port = 0;
  Handler handler;
  std::exception_ptr failure;  // exception of the handler
  struct Line {
    beast::tcp_stream stream;
    std::list<Line>* in;  // the list that contains it
  };
  // The first one has been quiet for longest: of connections without a request yet, of those
  // with requests, and of those that were closed, until their coroutines end.
  std::list<Line> filter, asking, closed;
  const std::size_t most_open = connection_limit();

  bool is_host(std::string_view host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }

  Answer answer(const http::request<http::empty_body>& request) {
    const std::string target(request.target());
    if (!is_host(std::string(request[http::field::host]))) return {403, "", ""};
    if (!target.starts_with(path)) return {404, "", ""};
    if (request.method() != http::verb::get) return {405, "", ""};
    return handler(target.substr(path.size()));
  }

  http::response<http::string_body> response(Answer answer, bool keep_alive) const {
    http::response<http::string_body> response(static_cast<http::status>(answer.status), 11);
    if (answer.status == 405) response.set(http::field::allow, "GET");
    if (!answer.type.empty()) response.set(http::field::content_type, answer.type);
    response.set(http::field::cache_control, "no-store");
    response.set("Content-Security-Policy", content_policy);
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Referrer-Policy", "no-referrer");  // the token stays here
    response.set("X-Content-Type-Options", "nosniff");
    response.body() = std::move(answer.text);
    response.keep_alive(keep_alive);
    response.prepare_payload();
    return response;
  }

  using Connection = std::list<Line>::iterator;

  /// One browser's connection, request after request. An error ends only this connection.
  asio::awaitable<void> talk(Connection connection) {
    try {
      co_await answer_requests(connection);
    } catch (
        const std::exception&) {  // the browser left, or was quiet for too long, or another one needed room
    }
    connection->in->erase(connection);
  }

  asio::awaitable<void> answer_requests(Connection connection) {
    beast::tcp_stream& stream = connection->stream;
    beast::flat_buffer buffer;
    for (bool keep_alive = true; keep_alive;) {
      http::request_parser<http::empty_body> parser;
      parser.header_limit(longest_header);
      stream.expires_after(patience);
      co_await http::async_read_header(stream, buffer, parser, asio::use_awaitable);
      if (connection->in == &closed) co_return;
      move(connection, asking);
      Answer said;
      try {
        said = answer(parser.get());
      } catch (...) {
        failure = std::current_exception();
        context.stop();
        co_return;
      }
      keep_alive = parser.is_done() && parser.keep_alive();  // bodies are not read
      const http::response<http::string_body> reply = response(std::move(said), keep_alive);
      stream.expires_after(patience);
      co_await http::async_write(stream, reply, asio::use_awaitable);
    }
    stream.socket().shutdown(tcp::socket::shutdown_send);
  }

  static void move(Connection connection, std::list<Line>& to) {
    to.splice(to.end(), *std::exchange(connection->in, &to), connection);
  }

  /// Closes the connection that has been quiet for longest, first one without any request: its reading or
  /// writing then ends with an error.
  void close_the_quietest() {
    std::list<Line>& from = filter.empty() ? asking : filter;
    if (from.empty()) return;
    from.front().stream.close();
    move(from.begin(), closed);
  }

  /// Runs forever: if a connection fails for lack of resources, one is closed and it tries again after a
  /// while.
  asio::awaitable<void> accept() {
    asio::steady_timer pause(context);
    for (;;) {
      boost::system::error_code error;
      tcp::socket socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error) {
        close_the_quietest();
        pause.expires_after(retry);
        co_await pause.async_wait(asio::use_awaitable);
        continue;
      }
      if (filter.size() + asking.size() >= most_open) close_the_quietest();
      filter.push_back({beast::tcp_stream(std::move(socket)), &filter});
      asio::co_spawn(context, talk(std::prev(filter.end())), asio::detached);
    }
  }
};

PageServer::PageServer(std::uint16_t port, Handler handler) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.handler = std::move(handler);
  try {
    const tcp::endpoint loopback(asio::ip::address_v4::loopback(), port);
    p.acceptor.open(loopback.protocol());
    p.acceptor.set_option(tcp::acceptor::reuse_address(true));
    p.acceptor.bind(loopback);
    p.acceptor.listen();
  } catch (const boost::system::system_error& error) {
    throw std::system_error(error.code().value(), std::generic_category());
  }
  p.port = p.acceptor.local_endpoint().port();
  p.address = fmt::format("http://127.0.0.1:{}{}", p.port, p.path);
  asio::co_spawn(p.context, p.accept(), asio::detached);
}

PageServer::~PageServer() = default;

const std::string& PageServer::address() const { return parts_->address; }

void PageServer::serve_until(const std::function<bool()>& over) {
  while (!parts_->failure && !over()) parts_->context.run_for(turn);
  if (parts_->failure) std::rethrow_exception(parts_->failure);
}

}  // namespace scree::io
