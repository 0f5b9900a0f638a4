#include "tests/fuzz/extreme_scene.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace scree::test {

namespace {

class Writer {
 public:
  explicit Writer(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::string scene() {
    text_ = fmt::format("time_step = {}\nend_time = 1\n", choice(8) == 7 ? number(1e-3) : "1e-3");
    heading("materials");
    key("name", "\"m\"");
    key("density", number(2500.0));
    if (choice(4) == 1) key("friction", number(0.5));
    if (choice(8) == 1) key("rolling_friction", number(1e-3));
    shape_ = choice(4);  // 0: no shapes; 1, 2: a function; 3: a clump
    if (shape_ == 3)
      clump();
    else if (shape_ > 0)
      function();
    const unsigned bodies = 1 + choice(3);
    for (unsigned k = 0; k < bodies; ++k) body(k);
    if (choice(2) == 0) heading("boundaries"), key("type", "\"plane\"");
    if (choice(3) == 1) wall();
    if (choice(8) == 1) inlet();
    return text_;
  }

 private:
  unsigned byte() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  unsigned choice(unsigned count) { return byte() % count; }

  double any() {
    constexpr double special[] = {0.0,
                                  std::numeric_limits<double>::denorm_min(),
                                  std::numeric_limits<double>::min(),
                                  std::numeric_limits<double>::max(),
                                  std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN(),
                                  1e-300,
                                  1e300};
    const unsigned kind = byte();
    if (kind >= 240) return special[byte() % std::size(special)];
    const double decades = kind < 100 ? 12.0 : 632.0;  // about 1, or the whole range
    const unsigned high = byte();
    return std::pow(10.0, decades * ((256.0 * high + byte()) / 65535.0 - 0.5) - (kind < 100 ? 0.0 : 8.0));
  }
  /// `usual`, or within a factor of two of it, or any number.
  std::string number(double usual) {
    const unsigned kind = byte();
    constexpr unsigned ordinary = 238;  // of 256, so that most scenes have one or two extreme numbers
    if (kind < ordinary)
      return fmt::format("{:.17g}",
                         usual * std::exp2(2.0 * kind / ordinary - (2 * kind < ordinary ? 0.0 : 2.0)));
    return fmt::format("{}{:.17g}", kind % 8 == 7 ? "-" : "", any());
  }
  std::string vector(std::array<double, 3> usual) {
    return fmt::format("[{}, {}, {}]", number(usual[0]), number(usual[1]), number(usual[2]));
  }

  void heading(const char* name) { text_ += fmt::format("[[{}]]\n", name); }
  void key(const char* name, const std::string& value) { text_ += fmt::format("{} = {}\n", name, value); }

  void function() {
    heading("shapes");
    key("name", "\"s\"");
    constexpr const char* bases[] = {"ellipsoid", "paraboloid", "cone", "hyperboloid", "two_sheets"};
    const unsigned base = choice(16);
    if (base < std::size(bases)) key("base", fmt::format("\"{}\"", bases[base]));
    key("semi_axes", vector({1.0, 0.8, 0.6}));
    for (unsigned k = choice(3); k > 0; --k) {
      heading("shapes.perturbations");
      const bool is_plane = choice(4) == 1;
      key("type", is_plane ? "\"plane\"" : "\"ellipsoid\"");
      key("weight", number(choice(2) == 0 ? 0.3 : -0.3));
      if (is_plane) {
        key("point", vector({0.5, 0.0, 0.0}));
        key("normal", vector({1.0, 0.1, 0.1}));
        continue;
      }
      key("semi_axes", vector({0.5, 0.5, 0.5}));
      key("centre", vector({0.7, 0.2, 0.1}));
      if (choice(4) == 1) key("outside", "true");
    }
  }

  void clump() {
    heading("shapes");
    key("name", "\"s\"");
    for (unsigned k = 0, parts = 1 + choice(3); k < parts; ++k) {
      heading("shapes.members");
      if (choice(2) == 0)
        key("radius", number(0.5));
      else
        key("semi_axes", vector({0.5, 0.4, 0.3}));
      key("position", vector({0.4 * k, 0.0, 0.0}));
    }
  }

  void grain() {
    const unsigned kind = choice(3);
    if (shape_ > 0 && kind > 0) {
      key("shape", "\"s\"");
      key("size", number(0.1));
    } else if (kind == 1) {
      key("semi_axes", vector({0.1, 0.08, 0.06}));
    } else {
      key("radius", number(0.1));
    }
  }

  void body(unsigned k) {
    heading("bodies");
    grain();
    if (choice(8) == 1) {
      key("generate", choice(2) == 0 ? "\"random\"" : "\"lattice\"");
      key("count", "3");
      key("region", fmt::format("{{ type = \"box\", low = {}, high = {} }}", vector({-0.5, -0.5, 0.5}),
                                vector({0.5, 0.5, 1.5})));
    } else {
      key("position", vector({0.0, 0.0, 0.12 + 0.18 * k}));
    }
    if (choice(4) == 1) key("velocity", vector({0.0, 0.1, -1.0}));
    if (choice(4) == 1) key("angular_velocity", vector({1.0, 2.0, 3.0}));
  }

  void wall() {
    heading("boundaries");
    switch (choice(4)) {
      case 0:
        key("type", "\"tube\"");
        key("start", vector({0.0, 0.0, -1.0}));
        key("end", vector({0.0, 0.1, 2.0}));
        key("inner_radius", number(0.5));
        break;
      case 1:
        key("type", "\"cylinder\"");
        key("start", vector({0.0, 0.0, -1.0}));
        key("end", vector({0.0, 0.1, 2.0}));
        key("radius", number(0.5));
        break;
      case 2:
        key("type", "\"sphere\"");
        key("centre", vector({0.0, 0.3, -1.0}));
        key("radius", number(0.5));
        break;
      default:
        key("type", "\"box\"");
        key("low", vector({-1.0, -1.0, -1.0}));
        key("high", vector({1.0, 1.0, 2.0}));
    }
  }

  void inlet() {
    heading("inlets");
    key("number_rate", "2000");
    grain();
    key("region", fmt::format("{{ type = \"box\", low = {}, high = {} }}", vector({-0.5, -0.5, 2.5}),
                              vector({0.5, 0.5, 3.5})));
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  unsigned shape_ = 0;
  std::string text_;
};

}  // namespace

std::string extreme_scene(std::span<const std::uint8_t> bytes) { return Writer(bytes).scene(); }

}  // namespace scree::test
