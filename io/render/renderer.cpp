#include "io/render/renderer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"

namespace scree::io {

namespace {

// Light on a white surface that sees all of it, linear: together a little less than white.
constexpr float sky_light = 0.66f, sun_light = 0.58f, fill_light = 0.1f;
constexpr float sun_spread = 0.07f;  // tangent of the half angle under which the sun is seen
constexpr float gloss = 0.10f, gloss_power = 40.0f;
constexpr float clear_opacity = 0.075f;     // of a clear wall that is looked through at right angles
constexpr float clear_opacity_most = 0.3f;  // at grazing angles
constexpr float body_opacity = 0.02f;       // of a clear body, in front and behind
constexpr float metal_mirror = 0.3f, metal_dark = 0.25f;  // part of the light, and the darkest sky
constexpr float hit_offset = 2e-5f;  // of the distance: keeps rays from hitting where they start
constexpr int most_clear_layers = 48;
constexpr std::size_t rows_per_block = 4;
constexpr float vanishing_share = 0.15f;  // of the view: floors fade out so far before labels
const Colour clear_colour(0.42f, 0.50f, 0.58f), metal_colour(0.40f, 0.43f, 0.47f),
    floor_colour(0.72f, 0.72f, 0.71f);

/// Six numbers in [0, 1) a sample that cover the cube evenly over the samples of a pixel (the additive
/// sequence of Roberts 2018 on the generalised golden ratio), shifted by a hash of the pixel.
class Samples {
 public:
  explicit Samples(std::uint32_t pixel) {
    std::uint64_t state = (pixel + 1u) * 0x9e3779b97f4a7c15u;
    for (float& s : shift_) {
      state ^= state >> 30, state *= 0xbf58476d1ce4e5b9u, state ^= state >> 27;
      s = static_cast<float>(state >> 40) * 0x1p-24f;
    }
  }
  float operator()(int sample, std::size_t dimension) const {
    constexpr std::array<float, 6> step{0.8986537f, 0.8075785f, 0.7257334f,
                                        0.6521831f, 0.5860869f, 0.5266892f};
    const float x = shift_[dimension] + static_cast<float>(sample) * step[dimension];
    return x - std::floor(x);
  }

 private:
  std::array<float, 6> shift_;
};

/// A direction about `axis`, in proportion to the cosine of the angle between them.
Vec3f cosine_direction(const Vec3f& axis, float u, float v) {
  const float angle = 2.0f * std::numbers::pi_v<float> * u, radius = std::sqrt(v);
  const Vec3f a = axis.unitOrthogonal(), b = axis.cross(a);
  return radius * std::cos(angle) * a + radius * std::sin(angle) * b +
         std::sqrt(std::max(0.0f, 1.0f - v)) * axis;
}

class Shader {
 public:
  Shader(const RayScene& scene, const Paint& paint, const Camera& camera, const Lighting& lighting)
      : scene_(scene),
        lighting_(lighting),
        look_(paint.look),
        up_(lighting.up.cast<float>()),
        middle_(lighting.middle.cast<float>()),
        background_(to_linear(lighting.background)) {
    for (const Colour& colour : paint.body) body_.push_back(to_linear(colour));
    for (const Colour& colour : paint.chain) chain_.push_back(to_linear(colour));
    for (const Colour& colour : paint.wall) wall_.push_back(to_linear(colour));
    const Vec3 towards = (camera.eye - camera.target).normalized();
    const Vec3 left = towards.cross(lighting.up).stableNormalized();
    sun_ = (1.1 * lighting.up + 0.55 * left + 0.5 * towards).normalized().cast<float>();
  }

  /// Light that comes back along the ray, linear. `vanish`: how much of a floor is gone there.
  Colour light(const Ray& ray, const Samples& samples, int sample, float vanish) const {
    Ray rest = ray;
    Colour opaque = background_;
    if (const auto hit = scene_.hit_solid(ray)) {
      rest.farthest = hit->t;
      if (hit->kind != RayHit::Kind::wall || !wall_.empty())
        opaque = surface_light(ray, *hit, albedo(*hit), samples, sample);
      else if (!look_.empty() && look_[hit->number] == WallLook::metal)
        opaque = metal_light(ray, *hit, samples, sample);
      else
        opaque = floor_light(ray, *hit, samples, sample, vanish);
    }
    return through_clear(rest, opaque);
  }

 private:
  const Colour& albedo(const RayHit& hit) const {
    if (hit.kind == RayHit::Kind::wall) return wall_[hit.number];
    return (hit.kind == RayHit::Kind::body ? body_ : chain_)[hit.number];
  }

  Colour surface_light(const Ray& ray, const RayHit& hit, const Colour& albedo, const Samples& samples,
                       int sample) const {
    const Vec3f normal = hit.normal.dot(ray.direction) > 0.0f ? Vec3f(-hit.normal) : hit.normal;
    Ray out{ray.origin + hit.t * ray.direction, {}};
    out.origin += hit_offset * hit.t * normal;
    // The sky: brighter above than below, hidden by what is near.
    out.direction = cosine_direction(normal, samples(sample, 2), samples(sample, 3));
    out.farthest = static_cast<float>(lighting_.shade_reach);
    const float sky = scene_.is_covered(out) ? 0.0f : sky_light * (0.72f + 0.28f * normal.dot(up_));
    Colour light = Colour::Constant(fill_light + sky);
    float shine = 0.0f;
    const Vec3f a = sun_.unitOrthogonal(), b = sun_.cross(a);
    out.direction = (sun_ + sun_spread * ((2.0f * samples(sample, 4) - 1.0f) * a +
                                          (2.0f * samples(sample, 5) - 1.0f) * b))
                        .normalized();
    out.farthest = std::numeric_limits<float>::infinity();
    const float facing = normal.dot(out.direction);
    if (facing > 0.0f && !scene_.is_covered(out)) {
      light += Colour::Constant(sun_light * facing);
      const Vec3f half = (out.direction - ray.direction).normalized();
      shine = gloss * std::pow(std::max(0.0f, normal.dot(half)), gloss_power);
    }
    return albedo.cwiseProduct(light) + Colour::Constant(shine);
  }

  /// Brushed steel: a part of what is seen is a sky that is bright above and dark below.
  Colour metal_light(const Ray& ray, const RayHit& hit, const Samples& samples, int sample) const {
    const Colour own = surface_light(ray, hit, metal_colour, samples, sample);
    const Vec3f mirrored = ray.direction - 2.0f * hit.normal.dot(ray.direction) * hit.normal;
    const float height = std::clamp(0.5f + 0.9f * mirrored.dot(up_), 0.0f, 1.0f);
    const float sky = metal_dark + (1.0f - metal_dark) * height * height * (3.0f - 2.0f * height);
    return (1.0f - metal_mirror) * own + metal_mirror * sky * metal_colour / metal_colour.maxCoeff();
  }

  Colour floor_light(const Ray& ray, const RayHit& hit, const Samples& samples, int sample,
                     float vanish) const {
    const float distance = (ray.origin + hit.t * ray.direction - middle_).norm();
    const auto radius = static_cast<float>(lighting_.floor_radius);
    const float fade = std::max(vanish, std::clamp((distance / radius - 0.6f) / 0.4f, 0.0f, 1.0f));
    if (fade == 1.0f) return background_;
    const Colour lit = surface_light(ray, hit, floor_colour, samples, sample);
    return (1.0f - fade) * lit + fade * background_;
  }

  Colour through_clear(Ray ray, const Colour& behind) const {
    Colour light = Colour::Zero();
    float passing = 1.0f;
    for (int layer = 0; layer < most_clear_layers; ++layer) {
      const auto hit = scene_.hit_clear(ray);
      if (!hit) break;
      const float facing = std::abs(hit->normal.dot(ray.direction));
      const bool body = hit->kind == RayHit::Kind::body;
      const float opacity =
          std::min(clear_opacity_most, (body ? body_opacity : clear_opacity) / std::max(facing, 1e-3f));
      const Colour colour = clear_colour * (0.75f + 0.25f * std::abs(hit->normal.dot(sun_)));
      light += passing * opacity * colour;
      passing *= 1.0f - opacity;
      ray.nearest = hit->t * (1.0f + hit_offset);
    }
    return light + passing * behind;
  }

  const RayScene& scene_;
  const Lighting& lighting_;
  std::vector<WallLook> look_;               // [polygon]
  std::vector<Colour> body_, chain_, wall_;  // [body], [chain] linear
  Vec3f up_, sun_, middle_;
  Colour background_;
};

}  // namespace

namespace {

/// How much of a floor is gone at a place of the view: all where labels begin, above and on the right.
float vanishing(const Viewport& view, const Picture& picture, int row, int column) {
  const auto near = [](int distance, int size) {
    const float x = std::clamp(
        1.0f - static_cast<float>(distance) / (vanishing_share * static_cast<float>(size)), 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
  };
  const float above = view.top > 0 ? near(row, view.height) : 0.0f;
  const bool has_right = view.left + view.width < picture.width;
  return std::max(above, has_right ? near(view.width - 1 - column, view.width) : 0.0f);
}

}  // namespace

Picture render(const RayScene& scene, const Paint& paint, const Camera& camera, const Lighting& lighting,
               Picture picture, const std::optional<Viewport>& viewport) {
  const Viewport view = viewport.value_or(Viewport{0, 0, picture.width, picture.height});
  if (viewport) std::ranges::fill(picture.pixel, pack(lighting.background));
  const Shader shader(scene, paint, camera, lighting);
  const Lens lens(camera, static_cast<double>(view.width) / view.height);
  const Vec3f eye = camera.eye.cast<float>();
  for_each_index(static_cast<std::size_t>(view.height), rows_per_block, [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < view.width; ++column) {
      const Samples samples(static_cast<std::uint32_t>(row * view.width + column));
      const float vanish = vanishing(view, picture, row, column);
      Colour sum = Colour::Zero();
      for (int s = 0; s < lighting.samples; ++s) {
        const double x = 2.0 * (column + static_cast<double>(samples(s, 0))) / view.width - 1.0;
        const double y = 1.0 - 2.0 * (row + static_cast<double>(samples(s, 1))) / view.height;
        sum += shader.light({eye, lens.direction(x, y).cast<float>()}, samples, s, vanish);
      }
      picture.at(view.top + row, view.left + column) =
          pack(to_screen(sum / static_cast<float>(lighting.samples)));
    }
  });
  return picture;
}

}  // namespace scree::io
