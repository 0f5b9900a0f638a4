#include "io/results/run_recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/core/errors.h"
#include "engine/core/state_hash.h"
#include "engine/core/stopwatch.h"
#include "engine/geometry/glyph.h"
#include "io/files/file_errors.h"
#include "io/files/machine_room.h"
#include "io/files/text_file.h"
#include "io/files/vtk_file.h"
#include "io/results/background_writer.h"
#include "io/results/body_fields.h"
#include "io/results/bond_table.h"
#include "io/results/checkpoint.h"
#include "io/results/event_table.h"
#include "io/results/frame.h"
#include "io/results/impact_table.h"
#include "io/results/measurement_recorder.h"
#include "io/results/observable_table.h"
#include "io/results/paraview_script.h"
#include "io/results/step_table.h"
#include "io/results/trajectory.h"
#include "io/results/vtk_series.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

namespace {

using Clock = std::chrono::steady_clock;

void require_known_fields(const Scene& scene) {
  std::vector<Fault> faults;
  std::string known;
  for (const BodyField& field : body_fields()) known += (known.empty() ? "" : ", ") + std::string(field.name);
  for (const std::string& name : scene.output.fields) {
    if (body_field(name)) continue;
    faults.push_back({{scene.file.string(), 0, 0}, "output.fields", "no such field", name, "", known, ""});
  }
  if (!faults.empty()) throw InputError(std::move(faults));
}

/// Checksum of one of our files.
std::uint32_t checksum(const std::filesystem::path& file) try {
  return crc32_of_file(file);
} catch (const ReadError& error) {
  throw WriteError(error.what());
}

RunFolder prepare(const Scene& scene, const RecordOptions& options) {
  require_known_fields(scene);
  std::error_code error;
  for (const std::filesystem::path& file : own_files(RunFolder{options.folder}))
    for (const InputFile& input : scene.inputs)
      if (std::filesystem::equivalent(file, input.path, error))
        throw WriteError(fmt::format(
            "cannot write {}: the scene reads {}, which would be replaced; choose another folder (-o)",
            options.folder.string(), file.filename().string()));
  return prepare_run_folder(options.folder, options.overwrite);
}

/// Lengths of the tables in a checkpoint, bytes, by name; 0: none yet.
struct RowPositions {
  std::map<std::string, std::int64_t> of;
  void visit(Archive& io, const std::vector<MeasurementPlan>& measurements) {
    for (const std::string_view name : RunFolder::table_names) io(std::string(name), of[std::string(name)]);
    for (const MeasurementPlan& plan : measurements) io(table_of(plan), of[table_of(plan)]);
  }
  static std::string table_of(const MeasurementPlan& plan) { return "measured_" + plan.name; }
};

/// A table of rows, other than steps.csv, with the recorder's operations on it.
struct RowTable {
  std::string name;
  std::function<void(const Observed&)> append;  // of a step
  std::function<std::int64_t()> sync;
  std::function<void()> close;
};

}  // namespace

struct RunRecorder::Parts {
  const Scene& scene;
  const RunPlan plan = run_plan(scene);
  Clock::time_point start = Clock::now(), last_checkpoint = start;
  double recording_time_s = 0.0, earlier_wall_time_s = 0.0;  // earlier: before the run was continued
  RunFolder folder;
  FolderLock lock;
  RowPositions at;  // positions at which tables are continued
  std::vector<std::int64_t> trajectory_at;
  StepTable steps;
  std::vector<RowTable> tables;  // of the scene, other than steps
  std::shared_ptr<EventTable> events;
  std::vector<std::shared_ptr<MeasurementTable>> measurements;
  std::vector<MeasuredSeries> measured;  // their results, at the end
  RunStatistics statistics;
  StageTable stages;
  std::optional<Trajectory> trajectory;
  bool has_vtk = false;  // a run that began without one continues without
  std::optional<VtkSeries> vtk;
  std::shared_ptr<const BodyConstants> constants;  // of the last frame's bodies
  WallCellRecord wall_cells;
  double next_walls_s = 0.0, last_walls_s = -infinity;  // since the start; simulated time
  ViewBox region;                                       // of the image
  std::int64_t frames = 0, last_frame_step = -1;
  double next_frame_s = 0.0;
  bool is_by_ranks = false;                 // several ranks make the steps
  bool has_shared = false;                  // they have packed frames
  std::optional<Frame> frame_to_share;      // of this step, which they will pack
  double next_contacts_s = 0.0;             // since the start
  std::uint64_t state_hash = 0;             // of the last row, or of the state before the first step
  double checkpoint_time_s = 0.0;           // of the state in the last checkpoint
  std::int64_t checkpoint_step = -1;        // likewise; -1: there is none
  std::optional<bool> checkpoint_wanted;    // after this step, if it has been determined
  std::vector<std::int64_t> resumed_steps;  // steps after which the run was continued
  std::vector<RankUse> ranks;
  // Last, so that its thread ends before the data to which it writes.
  BackgroundWriter writer;

  Parts(const Scene& s, const RecordOptions& options) : Parts(s, prepare(s, options), nullptr) {
    checkpoint_time_s = s.initial.time_s;
    state_hash = scree::state_hash(s.initial.bodies);
  }

  /// `memory`: of a checkpoint; null for a new run.
  Parts(const Scene& s, const RunFolder& run_folder, Archive* memory)
      : scene(s),
        folder(run_folder),
        lock(run_folder.path),
        at(read_positions(memory, s)),
        steps(folder.steps(), at.of["steps"]),
        statistics(s),
        stages(s.initial.time_s, s.end_time_s),
        wall_cells(s.model, s.initial.time_s),
        writer([this] {
          if (trajectory) trajectory->commit();
          if (vtk) vtk->publish();
        }) {
    if (s.checkpoints.keep > 0) make_folder(folder.checkpoints());
    open_tables();
    if (memory != nullptr) memory->group("run", [&] { visit(*memory); });
    if (s.output.hdf5 && memory != nullptr) trajectory.emplace(folder.trajectory(), s, trajectory_at);
    if (s.output.hdf5 && memory == nullptr) trajectory.emplace(folder.trajectory(), s);
    has_vtk = s.output.vtk && (memory == nullptr || has_vtk) && vtk_problem().empty();
    if (has_vtk) open_vtk();
    if (vtk && memory != nullptr) memory->group("run/vtk", [&] { vtk->visit(*memory); });
  }

  /// Opens a table, or continues it; append(table, observed) writes the results of a step.
  template <class Table, class Append, class... Arguments>
  std::shared_ptr<Table> open(const std::string& name, Append append, const Arguments&... arguments) {
    const auto table = std::make_shared<Table>(folder.table(name), arguments..., at.of[name]);
    tables.push_back({name, [=](const Observed& now) { append(*table, now); }, [=] { return table->sync(); },
                      [=] { table->close(); }});
    return table;
  }

  void open_tables() {
    const Model& m = scene.model;
    const auto append = [](auto& table, const Observed& now) { table.append(now); };
    for (const ObservedKindWords& of : observed_kinds())
      if (of.kind != ObservedKind::run && *of.table != '\0' && !part_names(of.kind, m).empty())
        open<ObservableTable>(of.table, append, of.kind, m);
    if (!m.actuators.empty()) open<ModelTable>("models", append, m.actuators);
    if (!m.bonds.empty())
      open<BondTable>(
          "bonds", [](auto& t, const Observed& now) { t.append(now.result.report, now.result.bonds); },
          m.bonds);
    if (scene.output.impacts)
      open<ImpactTable>(
          "impacts",
          [](auto& t, const Observed& now) {
            t.append(now.result.report, now.state.bodies, now.result.impacts);
          },
          m.boundaries);
    if (!scene.events.empty())  // has rows when events happen
      events = open<EventTable>(
          "events", [](auto&, const Observed&) {}, scene.events);
    for (const MeasurementPlan& plan : scene.measurements)
      measurements.push_back(open<MeasurementTable>(RowPositions::table_of(plan), append, scene, plan));
  }

  static RowPositions read_positions(Archive* memory, const Scene& scene) {
    RowPositions positions;
    if (memory != nullptr) memory->group("run/rows", [&] { positions.visit(*memory, scene.measurements); });
    return positions;
  }

  /// Data of a checkpoint in addition to scene and state, without the series of files.
  void visit(Archive& io) {
    io.group("statistics", [&] { statistics.visit(io); });
    io.group("stages", [&] { stages.visit(io); });
    double wall_time_s = wall_time();
    io("wall_time_s", wall_time_s);
    if (io.reads()) earlier_wall_time_s = wall_time_s;
    io("recording_time_s", recording_time_s);
    io("has_vtk", has_vtk);
    io("frames", frames);
    io("last_frame_step", last_frame_step);
    io("next_contacts_s", next_contacts_s);
    io("next_walls_s", next_walls_s);
    io("last_walls_s", last_walls_s);
    io("resumed_steps", resumed_steps);
    io("trajectory_rows", trajectory_at);
    io.group("wall_cells", [&] { wall_cells.visit(io); });
    io.group("measurements", [&] {
      for (const auto& table : measurements) table->visit(io);
    });
  }

  double wall_time() const {
    return earlier_wall_time_s + std::chrono::duration<double>(Clock::now() - start).count();
  }

  bool checkpoint_due(const State& state) const {
    const CheckpointSettings& c = scene.checkpoints;
    if (c.keep == 0 || state.step == checkpoint_step) return false;
    const std::chrono::duration<double> since = Clock::now() - last_checkpoint;
    return (c.wall_time_s > 0.0 && since.count() >= c.wall_time_s) ||
           (c.interval_s > 0.0 && state.time_s - checkpoint_time_s >= c.interval_s - time_slack(scene)) ||
           (c.steps > 0 && state.step - std::max<std::int64_t>(checkpoint_step, 0) >= c.steps);
  }

  /// Checks for space for two frames and two checkpoints of the last sizes.
  void require_room() const {
    const auto size = [](const std::filesystem::path& file) {
      std::error_code error;
      const std::uintmax_t bytes = std::filesystem::file_size(file, error);
      return error ? 0.0 : static_cast<double>(bytes);
    };
    constexpr double rest = 1 << 16;  // of tables and summaries
    double frame = size(folder.trajectory()) / static_cast<double>(frames), checkpoint = frame;
    for (const char* kind : {"bodies", "contacts", "walls"})
      frame += size(folder.path / RunFolder::vtk_frame(kind, frames - 1));
    if (const auto all = checkpoints(folder); !all.empty()) checkpoint = size(all.front());
    const double needed = 2.0 * (frame + checkpoint) + rest, left = free_disk_bytes(folder.path);
    if (left >= needed) return;
    throw OutOfRoom(
        fmt::format("the disk of {} is nearly full: {} are free, a frame and a checkpoint take {}",
                    folder.path.string(), bytes_text(left), bytes_text(frame + checkpoint)));
  }

  /// All recorded data are on disk before the checkpoint refers to them.
  void write_checkpoint(const State& state, bool finished) {
    writer.drain();
    if (trajectory) {
      trajectory->commit();
      trajectory_at = trajectory->position();
    }
    if (vtk) vtk->publish();
    at.of["steps"] = steps.sync();
    for (const RowTable& table : tables) at.of[table.name] = table.sync();
    io::write_checkpoint(folder, scene, state, finished, [&](Archive& io) {
      visit(io);
      io.group("rows", [&] { at.visit(io, scene.measurements); });
      if (vtk) io.group("vtk", [&] { vtk->visit(io); });
    });
    last_checkpoint = Clock::now();
    checkpoint_time_s = state.time_s;
    checkpoint_step = state.step;
  }

  /// One checksum per table is enough for tables that no longer grow.
  void sum_up_tables() const {
    std::string lines;
    for (const std::filesystem::path& table : folder.tables())
      if (std::filesystem::exists(table))
        lines += table_checksum_line(
            table.filename().string(),
            {static_cast<std::int64_t>(std::filesystem::file_size(table)), checksum(table)});
    write_whole_file(folder.table_checksums(), lines);
  }

  void open_vtk() {
    region = picture_region(scene.initial.bodies, scene.model);
    region.low -= scene.origin;
    region.high -= scene.origin;
    vtk.emplace(folder, scene, region, counted_from(scene.origin, outlines(scene.model)),
                wall_cell_mesh(scene.model.wall_cells, scene.origin));
    draw_walls();
    const ViewOptions view{std::filesystem::absolute(folder.path).lexically_normal(),
                           scene.model.settings.gravity,
                           !scene.model.boundaries.empty(),
                           scene.output.contacts,
                           "speed",
                           false,
                           scene.model.settings.time_step_s / scene.model.settings.substeps,
                           glyph_count(scene.model.shapes),
                           scene.model.any_boundary_moves() || !scene.initial.overrides.removed.empty(),
                           counted_from(scene.origin, outlines(scene.model)),
                           !scene.model.wall_cells.empty()};
    write_whole_file(folder.view_script(), paraview_script(view));
  }

  void draw_walls() const {
    const Boundaries boundaries = counted_from(scene.origin, scene.model.boundaries);
    if (!boundaries.empty()) write_vtk(folder.walls(), walls_piece(wall_mesh(boundaries, region)));
  }

  /// Planes are unbounded: their drawn part follows the bodies.
  void redraw_walls(Bodies bodies) {
    for (Vec3& x : bodies.position) x -= scene.origin;
    region = grown_region(region, bodies);
    draw_walls();
  }

  bool frame_due(const State& state) const {
    return (trajectory || vtk) && state.time_s + time_slack(scene) >= next_frame_s;
  }

  /// Contacts are in the first frame at or after each multiple of their interval.
  bool contacts_due(double elapsed_s) {
    const OutputSettings& output = scene.output;
    if (!output.contacts || output.contacts_interval_s <= 0.0) return output.contacts;
    if (elapsed_s < next_contacts_s) return false;
    const double interval = output.contacts_interval_s;
    next_contacts_s = interval * (std::floor(elapsed_s / interval) + 1.0);
    return true;
  }

  /// Wall data are in the first frame at or after each multiple of their interval.
  bool walls_due(double elapsed_s) {
    if (scene.model.wall_cells.empty() || elapsed_s < next_walls_s) return false;
    const double interval = scene.output.wall_cells_interval_s;
    next_walls_s = interval > 0.0 ? interval * (std::floor(elapsed_s / interval) + 1.0) : 0.0;
    return true;
  }

  /// Also at the end, even if there is a frame of that moment already.
  void add_last_walls(const State& state) {
    if (scene.model.wall_cells.empty() || (!trajectory && !vtk) || last_walls_s == state.time_s) return;
    next_walls_s = 0.0;
    Frame frame = make_frame(scene.model, state, {}, false, constants, scene.origin);
    frame.walls = wall_cells.values(scene.model, state);
    frame.is_walls_alone = true;
    write(std::move(frame));
    last_walls_s = state.time_s;
  }

  /// The files of a frame.
  struct FrameFiles {
    std::optional<TrajectoryRows> rows;
    VtkFrame vtk;
  };

  /// After a frame, in the background.
  void publish_frames() {
    if (vtk && (!trajectory || trajectory->is_on_disk())) vtk->publish();
  }

  /// Packs and writes it in the background.
  void write(Frame frame) {
    writer.push([this, frame = std::make_shared<Frame>(std::move(frame))] {
      if (trajectory) trajectory->append(*frame);
      if (vtk) vtk->append(*frame);
      publish_frames();
    });
  }

  /// Packs the frame of this step, if there is one, on all ranks, and writes it in the background.
  void share_frame(Ranks& ranks) {
    // Frames before the first shared one get their rows and numbers in the background, later ones here.
    if (!std::exchange(has_shared, true)) writer.drain();
    const auto files = std::make_shared<FrameFiles>();
    std::vector<Piece*> pieces;
    if (frame_to_share && trajectory) {
      files->rows.emplace(trajectory->rows_of(*frame_to_share));
      pieces = files->rows->pieces();
    }
    pack(ranks, pieces);
    pieces.clear();
    if (frame_to_share && vtk) {
      files->vtk = vtk->files_of(*frame_to_share);
      for (FrameFile& file : files->vtk) pieces.push_back(&file.piece);
    }
    pack(ranks, pieces);
    if (!frame_to_share) return;
    frame_to_share.reset();
    writer.push([this, files] {
      if (trajectory) trajectory->write(std::move(*files->rows));
      if (vtk) vtk->write(std::move(files->vtk));
      publish_frames();
    });
  }

  /// By ranks the frame of a step waits for share_frame().
  void add_frame(const State& state, bool waits = false) {
    if (!trajectory && !vtk) return;
    const double elapsed = state.time_s - scene.initial.time_s + time_slack(scene);
    Frame frame =
        make_frame(scene.model, state, scene.output.fields, contacts_due(elapsed), constants, scene.origin);
    constants = frame.constants;
    frame.balances = statistics.balances(state);
    if (walls_due(elapsed)) {
      frame.walls = wall_cells.values(scene.model, state);
      last_walls_s = state.time_s;
    }
    round_frame(frame, scene.output.significant_bits);
    if (waits)
      frame_to_share = std::move(frame);
    else
      write(std::move(frame));
    ++frames;
    last_frame_step = state.step;
    next_frame_s = next_frame(plan, state.overrides, state.time_s);
  }
};

RunRecorder::RunRecorder(const Scene& scene, const RecordOptions& options)
    : parts_(std::make_unique<Parts>(scene, options)) {
  parts_->add_frame(scene.initial);
  if (scene.measurements.empty()) return;
  const StepResult start = start_result(scene.model, scene.initial);
  for (const auto& table : parts_->measurements) table->append({scene.model, scene.initial, start});
}

RunRecorder::RunRecorder(const Scene& scene, const std::filesystem::path& folder, const State& state,
                         Archive& checkpoint)
    : parts_(std::make_unique<Parts>(scene, RunFolder{folder}, &checkpoint)) {
  Parts& p = *parts_;
  p.resumed_steps.push_back(state.step);
  p.checkpoint_time_s = state.time_s;
  p.checkpoint_step = state.step;
  p.state_hash = state_hash(state.bodies);
  p.next_frame_s = next_frame(p.plan, state.overrides, state.time_s);
  std::error_code ignored;
  std::filesystem::remove(p.folder.summary(), ignored);  // from a run that had ended
}

RunRecorder::~RunRecorder() = default;

void RunRecorder::shared_by(std::vector<RankUse> ranks) { parts_->ranks = std::move(ranks); }

const RunStatistics& RunRecorder::statistics() const { return parts_->statistics; }

const RunFolder& RunRecorder::folder() const { return parts_->folder; }
const StageTable& RunRecorder::stage_table() const { return parts_->stages; }
const std::vector<MeasuredSeries>& RunRecorder::measured() const { return parts_->measured; }

void RunRecorder::begin(const State& state) {
  if (parts_->scene.checkpoints.keep > 0) parts_->write_checkpoint(state, false);
}

bool RunRecorder::wants_bodies(const State& state) {
  parts_->is_by_ranks = true;
  parts_->checkpoint_wanted = parts_->checkpoint_due(state);
  const auto wants = [&](const auto& table) { return table->wants_bodies(state.time_s); };
  return *parts_->checkpoint_wanted || parts_->frame_due(state) ||
         std::ranges::any_of(parts_->measurements, wants);
}

void RunRecorder::after_step(const StepResult& result, const State& state) {
  Parts& p = *parts_;
  const StepReport& report = result.report;
  const Stopwatch watch(p.recording_time_s);
  p.statistics.add(report);
  p.statistics.add_loads(result, state);
  p.stages.add(report);
  p.state_hash = result.state_hash ? *result.state_hash : state_hash(state.bodies);
  const Observed now{p.scene.model, state, result};
  p.steps.append(now, p.state_hash);
  for (const RowTable& table : p.tables) table.append(now);
  if (p.frame_due(state)) p.add_frame(state, p.is_by_ranks);
}

void RunRecorder::share_work(Ranks& ranks) {
  const Stopwatch watch(parts_->recording_time_s);
  parts_->share_frame(ranks);
}

void FramePacker::share_work(Ranks& ranks) {
  pack(ranks);  // of the trajectory
  pack(ranks);  // of files for ParaView
}

void RunRecorder::after_events(std::span<const Happening> happenings, const StepResult& result,
                               const State& state) {
  Parts& p = *parts_;
  const Stopwatch watch(p.recording_time_s);
  for (const Happening& h : happenings) {
    p.events->append(h);
    p.statistics.add(h);
    if (p.scene.events[h.event].actions.output_interval_s)
      p.next_frame_s = next_frame(p.plan, state.overrides, state.time_s);
  }
  if (!happenings.empty()) {
    p.state_hash = result.state_hash ? *result.state_hash : state_hash(state.bodies);
    p.steps.amend(p.state_hash);
  }
  p.steps.end_row();
  if (p.last_frame_step == state.step) p.steps.flush();  // a killed run keeps the rows up to its last frame
}

std::string RunRecorder::objection() {
  const std::optional<double>& tolerance = parts_->scene.ledger_tolerance;
  const double breach = parts_->statistics.ledger_breach();
  if (!tolerance || !(breach > *tolerance)) return {};
  return fmt::format(
      "the energy ledger does not close: {:.3g} of the energy turned over is unexplained or created, "
      "checks.ledger_tolerance is {:g}",
      breach, *tolerance);
}

void RunRecorder::before_next(const State& state) {
  Parts& p = *parts_;
  const Stopwatch watch(p.recording_time_s);
  if (p.checkpoint_wanted ? *p.checkpoint_wanted : p.checkpoint_due(state)) p.write_checkpoint(state, false);
  p.checkpoint_wanted.reset();
  if (p.last_frame_step == state.step) p.require_room();
}

Summary RunRecorder::finish(RunStatus status, const State& state, bool good,
                            const std::function<void(const std::string&)>& note) {
  Parts& p = *parts_;
  std::optional<WriteError> first_error;
  const auto attempt = [&](auto&& write) {
    try {
      write();
    } catch (const WriteError& error) {
      if (!first_error) first_error = error;
    }
  };
  {
    const Stopwatch watch(p.recording_time_s);
    // Before a frame that an uninterrupted run would not have.
    const bool wanted = status != RunStatus::failed && p.scene.checkpoints.keep > 0;
    if (wanted) attempt([&] { p.write_checkpoint(state, status == RunStatus::finished); });
    if (p.frame_to_share) attempt([&] { p.write(*std::exchange(p.frame_to_share, {})); });
    if (good && p.last_frame_step != state.step) attempt([&] { p.add_frame(state); });
    if (good) attempt([&] { p.add_last_walls(state); });
    attempt([&] { p.writer.finish(); });
    if (p.vtk) attempt([&] { p.redraw_walls(state.bodies); });
    if (p.trajectory) attempt([&] { p.trajectory->close(); });
    if (p.vtk) attempt([&] { p.vtk->publish(); });
    attempt([&] { p.steps.close(); });
    for (const RowTable& table : p.tables) attempt(table.close);
    if (!p.measurements.empty())
      attempt([&] { p.measured = write_measurements(p.folder, p.scene.name, p.measurements); });
    attempt([&] { write_whole_file(p.folder.stage_table(), p.stages.text()); });
    attempt([&] { p.sum_up_tables(); });
  }
  Summary summary = p.statistics.summary(state);
  summary.status = first_error ? RunStatus::failed : status;
  summary.frames = p.frames;
  summary.recording_time_s = p.recording_time_s;
  summary.wall_time_s = p.wall_time();
  summary.resumed_steps = p.resumed_steps;
  summary.ranks = p.ranks;
  if (!p.ranks.empty()) {  // which body is pinched is known in steps with a frame only
    summary.pinch.body = -1;
    summary.pinch.against.clear();
  }
  std::vector<std::filesystem::path> tables = p.folder.tables();
  tables.push_back(p.folder.stage_table());
  for (const std::filesystem::path& file : p.folder.measured_files()) tables.push_back(file);
  for (const std::filesystem::path& table : tables)
    if (std::filesystem::exists(table))
      attempt([&] { summary.files.push_back({table.filename().string(), checksum(table)}); });
  summary.state_hash = p.state_hash;
  if (p.frames > 0) {
    summary.frame_rounding = frame_rounding(p.scene.model.shapes, state.bodies, p.scene.origin);
    summary.better_origin = origin_near(state.bodies);
  }
  summary.verdict = judge(summary, p.scene.model.settings);
  // Trials repeat a part of the run three times. Pinched bodies need another scene first, so none are made
  // then.
  const bool is_pinched = std::ranges::any_of(summary.verdict.findings, [](const Finding& finding) {
    return finding.code == pinch_limit.code && finding.grade != Grade::green;
  });
  if (summary.status == RunStatus::finished && summary.energy_created_relative > created_limit.amber &&
      !is_pinched) {
    summary.remedies = try_remedies(p.scene, summary.energy_created_most, note);
    summary.verdict = judge(summary, p.scene.model.settings);
  }
  attempt([&] { write_whole_file(p.folder.summary(), to_json(summary)); });
  if (first_error) throw WriteError(*first_error);
  return summary;
}

}  // namespace scree::io
