#include "io/scene/resume.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/simulation/subsystems/sleep.h"
#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/results/provenance.h"
#include "io/scene/read_scene.h"

namespace scree::io {

namespace {

/// Checks that a state can belong to a scene: a checksum finds damage, but not a wrong file.
void require_valid(const Model& model, const State& state) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw ReadError(fmt::format("the checkpoint does not belong to its scene: {}", what));
  };
  const Bodies& b = state.bodies;
  const std::size_t n = b.size();
  for (const std::size_t size :
       {b.orientation.size(), b.linear_velocity.size(), b.angular_velocity.size(), b.mass.size(),
        b.inertia.size(), b.shape.size(), b.material.size(), b.id.size()})
    require(size == n, "its lists of bodies have different lengths");
  require(b.asleep.empty() || b.asleep.size() == n, "its list of sleeping bodies does not fit");
  require(b.resting.empty() || b.resting.size() == n, "its list of resting bodies does not fit");
  require(b.part.size() == b.rest.size() && (b.part.empty() || b.part.size() == n),
          "its list of carried bodies does not fit");
  for (const std::int32_t part : b.part)
    require(part == Bodies::no_part || (part >= 0 && static_cast<std::size_t>(part) < model.parts.size() &&
                                        !model.parts[part].is_driven()),
            "the part of a carried body does not exist");
  const auto within = [](auto index, std::size_t size) { return index.value >= 0 && index < size; };
  for (std::size_t i = 0; i < n; ++i) {
    require(within(b.shape[i], model.shapes.size()) && within(b.material[i], model.materials.size()),
            "a body has a shape or a material that does not exist");
    require(b.id[i] >= 0 && b.id[i] < b.next_id, "a body's number is out of range");
  }
  const auto pair = [&](std::int32_t first, std::int32_t second) {
    const bool partner = is_boundary(second) ? boundary_of(second) < model.boundaries.size()
                                             : second > first && static_cast<std::size_t>(second) < n;
    require(first >= 0 && static_cast<std::size_t>(first) < n && partner,
            "a contact has a body that does not exist");
  };
  for (const auto* list : {&state.contacts.list, &state.sleepers.contacts}) {
    for (const Contact& c : *list) pair(c.key.a, c.key.b);
    require(std::ranges::is_sorted(*list, {}, &Contact::key), "its contacts are not in order");
  }
  for (const SpringMemory& s : state.springs) {
    pair(s.key.a, s.key.b);
    require(s.force.allFinite() && s.tangential_stiffness > 0.0f && s.normal_energy >= 0.0 &&
                s.tangential_energy >= 0.0 && std::isfinite(s.free_overlap) && s.coefficient > 0.0 &&
                s.theta >= 0.0 && s.theta <= 1.0,
            "the state of an elastic contact is not valid");
  }
  require(std::ranges::is_sorted(state.springs, {}, &SpringMemory::key),
          "its elastic contacts are not in order");
  for (const CachedPair& p : state.cached) pair(p.a, p.b);
  const NormalCache& seeds = state.cached_normals;
  // Bodies that entered since the last step have no rows yet.
  require(seeds.row.empty() ? seeds.list.empty() : seeds.row.front() == 0 && seeds.row.size() <= n + 1,
          "its cached normals do not fit");
  require(seeds.row.empty() || static_cast<std::size_t>(seeds.row.back()) == seeds.list.size(),
          "its cached normals do not fit");
  require(std::ranges::is_sorted(seeds.row), "its cached normals do not fit");
  for (std::size_t i = 0; i + 1 < seeds.row.size(); ++i)
    for (std::int32_t k = seeds.row[i]; k < seeds.row[i + 1]; ++k)
      pair(static_cast<std::int32_t>(i), seeds.list[k].b);
  require(state.sleepers.still.empty() || state.sleepers.still.size() == n,
          "its list of sleeping bodies does not fit");
  require(state.joints.empty() || state.joints.size() == model.joints.size(), "its joints do not fit");
  require(state.actuators.empty() || state.actuators.size() == model.actuators.size(),
          "its models do not fit");
  for (std::size_t d = 0; d < state.actuators.size(); ++d)
    require(state.actuators[d].inputs.size() == model.actuators[d].inputs.size() &&
                state.actuators[d].outputs.size() == model.actuators[d].outputs.size(),
            "the inputs or outputs of its models do not fit");
  for (const Bond& bond : state.bonds) {
    const auto is_body = [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < n; };
    require(is_body(bond.a) && is_body(bond.b) && bond.a != bond.b, "a bond has a body that does not exist");
    require(bond.law >= 0 && static_cast<std::size_t>(bond.law) < model.bonds.size(),
            "a bond has a kind that does not exist");
  }
  require(state.overrides.inlets.empty() || state.overrides.inlets.size() == model.inlets.size(),
          "its inlets do not fit");
  require(state.overrides.bonds.empty() || state.overrides.bonds.size() == model.bonds.size(),
          "its bonds do not fit");
  require((state.parts.empty() && state.step == 0) || state.parts.size() == model.parts.size(),
          "its parts do not fit");
  for (const PartState& part : state.parts)
    require(std::isfinite(part.travel) && std::isfinite(part.rate) && part.pose.position.allFinite() &&
                std::abs(part.pose.orientation.norm() - 1.0) < 1e-6 && part.twist.linear.allFinite() &&
                part.twist.angular.allFinite(),
            "the pose or velocity of a part is not valid");
  require(state.wall_cells.size() == cell_count(model.wall_cells) ||
              (state.step == 0 && state.wall_cells.empty()),
          "its wall cells do not fit");
  require(state.entered.empty() || state.entered.size() == model.inlets.size(), "its inlets do not fit");
  require(state.left.empty() || state.left.size() == model.outlets.size() + 1, "its outlets do not fit");
  require(state.overrides.removed.empty() || state.overrides.removed.size() == model.boundaries.size(),
          "its boundaries do not fit");
}

/// Inputs that a program wrote into the folder of the run ("inputs/NAME") move with it.
void find_moved_inputs(Scene& recorded, const std::filesystem::path& folder) {
  std::error_code error;
  for (InputFile& input : recorded.inputs) {
    const std::string before = input.path.string();
    const std::filesystem::path moved =
        std::filesystem::absolute(folder, error) / "inputs" / input.path.filename();
    if (std::filesystem::exists(input.path, error) || input.path.parent_path().filename() != "inputs" ||
        !std::filesystem::exists(moved, error))
      continue;
    for (std::size_t at = 0; (at = recorded.text.find(before, at)) != std::string::npos;
         at += moved.string().size())
      recorded.text.replace(at, before.size(), moved.string());
    input.path = moved;
  }
}

/// Reads a checkpoint and builds its scene again.
Resumed resume_from(const std::filesystem::path& checkpoint) {
  Resumed run{{}, {}, {}, Archive::to_read(checkpoint, checkpoint_kind), {}};
  Archive& io = run.archive;
  visit(io, run.head);
  Scene recorded;
  io.group("scene", [&] { visit(io, recorded); });
  find_moved_inputs(recorded, checkpoint.parent_path().parent_path());
  for (const InputFile& input : recorded.inputs) {
    if (crc32_of_file(input.path) != input.crc32)
      throw ReadError(fmt::format("{} has changed since the start of the run", input.path.string()));
  }
  run.scene = read_scene_text(recorded.text, recorded.file, recorded.overrides,
                              std::numeric_limits<std::size_t>::max(), recorded.carried);
  run.scene.end_time_s = recorded.end_time_s;
  if (initial_hash(run.scene) != run.head.initial_hash)
    throw ReadError(fmt::format(
        "this program creates other bodies from the scene than scree {} ({}), which started the run",
        run.head.scree_version, run.head.commit));
  io.group("state", [&] { visit(io, run.state); });
  complete(run.scene.model, run.state);
  const Provenance& here = provenance();
  if (run.head.commit != here.commit || run.head.compiler != here.compiler)
    run.warnings.push_back(
        fmt::format("the run was started by another program ({}, {}) than this one ({}, {}): it continues, "
                    "but results may differ in the last bits",
                    run.head.commit, run.head.compiler, here.commit, here.compiler));
  return run;
}

}  // namespace

Resumed resume(const std::filesystem::path& folder) {
  std::vector<std::string> problems;
  for (const std::filesystem::path& checkpoint : checkpoints({folder})) {
    try {
      Resumed run = resume_from(checkpoint);
      run.warnings.insert(run.warnings.begin(), problems.begin(), problems.end());
      if (const std::filesystem::path note = RunFolder{folder}.acted_on(); std::filesystem::exists(note))
        run.warnings.push_back(
            fmt::format("another program has set motors of this run or added forces ({}): the run continues "
                        "without them and will differ",
                        note.string()));
      return run;
    } catch (const ReadError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (problems.empty()) {
    std::error_code ignored;
    const bool there = std::filesystem::is_directory(folder, ignored);
    throw ReadError(fmt::format("cannot continue from {}: {}", folder.string(),
                                there ? "there is no checkpoint in it" : "there is no such folder"));
  }
  throw ReadError(fmt::format("cannot continue from {}: {}", folder.string(), fmt::join(problems, "; ")));
}

std::filesystem::path scene_file_of(const std::filesystem::path& folder) {
  for (const std::filesystem::path& checkpoint : checkpoints({folder})) {
    try {
      Archive io = Archive::to_read(checkpoint, checkpoint_kind);
      CheckpointHead head;
      Scene recorded;
      visit(io, head);
      io.group("scene", [&] { visit(io, recorded); });
      return recorded.file;
    } catch (const ReadError&) {
    }
  }
  return {};
}

void complete(const Model& model, State& state) {
  require_valid(model, state);
  state.contacts.index(state.bodies.size());
  if (!state.sleepers.still.empty()) hold_sleepers(state.bodies, state.sleepers);
}

}  // namespace scree::io
