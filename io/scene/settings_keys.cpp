#include "io/scene/settings_keys.h"

#include <fmt/format.h>

namespace scree::io {

namespace {

std::string toml(double value) { return fmt::format("{}", value); }
std::string toml(bool value) { return value ? "true" : "false"; }
std::string toml(int value) { return fmt::format("{}", value); }
std::string toml(const std::string& value) { return '"' + value + '"'; }
std::string toml(const Vec3& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }
std::string toml(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& item : list) text += (text.empty() ? "" : ", ") + toml(item);
  return '[' + text + ']';
}

template <class M>
std::string toml_of(const Key& key, const M& member) {
  if constexpr (std::is_enum_v<M>) {
    return toml(split_words(key.words)[static_cast<std::size_t>(member)]);
  } else {
    return toml(member);
  }
}

/// Writes the default of `key` into `text` if the key is a member of T.
template <class T>
void find_default(const Key& key, std::string& text) {
  T settings{};
  for_each_key(settings, [&]<class M>(std::string_view section, std::string_view name, M& member) {
    if (section != key.section || name != key.name) return;
    text = toml_of(key, member);
  });
}

template <class... T>
std::string find_default(const Key& key) {
  std::string text(key.fallback);
  (find_default<T>(key, text), ...);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_text(Scene& scene) {
  std::vector<std::pair<std::string, std::string>> list;
  for_each_key(scene, [&](std::string_view section, std::string_view name, auto& member) {
    const std::string path = section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
    list.emplace_back(path, toml_of(*find_key(section, name), member));
  });
  return list;
}

std::string default_of(const Key& key) {
  if (key.required) return "";
  std::string text =
      find_default<Scene, PlacementLimits, PairLaw, Surface, FrictionPatch, Twist, LatticeSettings,
                   RandomPackingSettings, SizeDistribution, SizeShares, Inlet, MeshPlacement, RevolvedForm,
                   Boundary, Part, MachineJoint, JointMotor, PeriodicCell, RepeatedDirections, CellFlow,
                   FlowGradient, RandomMotion, Fluid, Event, MotionStage>(key);
  for_each_plain_kind([&]<class Wall> { find_default<Wall>(key, text); });
  return text;
}

}  // namespace scree::io
