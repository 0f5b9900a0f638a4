// The neutral scene in MuJoCo: ellipsoid geoms, free joints, elliptic friction cones. Written for MuJoCo
// 2.2.2. Usage: peers_mujoco start=CSV end=CSV times=FILE iterations=N and the neutral scene (peers.h).
// Prints JSON.
#include <cstdio>
#include <memory>
#include <mujoco/mujoco.h>

#include "benchmarks/peers/peers.h"

namespace {

// Rows of the constraint problem per body, three per contact: the need of a bed, and a comfortable number.
constexpr double rows_needed = 8.5, rows_wanted = 12.0;
constexpr double buffer_limit = 2147483647.0;  // bytes; mjData counts them in an int
constexpr double buffer_share = 0.985;         // part of the buffer for the constraint problem

[[noreturn]] void stop(const char* message) { throw std::runtime_error(message); }

std::string three(const peers::Three& v) {
  std::ostringstream out;
  out.precision(17);
  out << v[0] << ' ' << v[1] << ' ' << v[2];
  return out.str();
}

/// Number of rows of the constraint problem for which there is room. The buffer holds the Jacobian, its
/// transpose (rows x velocities, values and columns, 12 bytes per entry) and a square of rows, all in dense
/// form: 12 r^2 + 24 n r bytes.
int constraint_rows(double bodies) {
  const double n = 6.0 * bodies, most = std::sqrt(n * n + buffer_share * buffer_limit / 12.0) - n;
  if (most < rows_needed * bodies)
    throw std::runtime_error("too many bodies: the buffer of MuJoCo 2.2 ends at 2 GB");
  return static_cast<int>(std::min(rows_wanted * bodies, most));
}

std::string model_text(const peers::Scene& scene, const std::vector<peers::BodyState>& states,
                       int iterations) {
  std::ostringstream out;
  out.precision(17);
  const int rows = constraint_rows(static_cast<double>(states.size()));
  // The stiffest contacts that MuJoCo allows by default: time constant of two steps, critical damping.
  out << "<mujoco><option timestep='" << scene.time_step << "' gravity='0 0 " << -scene.gravity
      << "' cone='elliptic' solver='CG' tolerance='0' iterations='" << iterations << "' jacobian='sparse'/>"
      << "<size nconmax='" << rows / 2 << "' njmax='" << rows << "' nstack='" << 200 * rows + 2000000 << "'/>"
      << "<default><geom condim='3' friction='" << scene.friction << " 0 0' solref='" << 2.0 * scene.time_step
      << " 1' density='" << scene.density << "'/></default><worldbody>";
  for (const peers::WallPlane& wall : peers::walls(scene))
    out << "<geom type='plane' size='0 0 1' pos='" << three(wall.point) << "' zaxis='" << three(wall.normal)
        << "'/>";
  for (const peers::BodyState& s : states) {
    out << "<body pos='" << three(s.position) << "' quat='" << s.orientation[0] << ' ' << s.orientation[1]
        << ' ' << s.orientation[2] << ' ' << s.orientation[3] << "'><freejoint/><geom type='ellipsoid' size='"
        << three(scene.semi_axes) << "'/></body>";
  }
  out << "</worldbody></mujoco>";
  return out.str();
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const char* name = "scene.xml";
  mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(text.size() + 1));
  std::copy(text.c_str(), text.c_str() + text.size() + 1, static_cast<char*>(files->filedata[0]));
  std::array<char, 1000> error{};
  mjModel* model = mj_loadXML(name, files.get(), error.data(), static_cast<int>(error.size()));
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(error.data());
  return model;
}

std::vector<peers::BodyState> states_of(const mjModel& model, const mjData& data) {
  std::vector<peers::BodyState> states(static_cast<std::size_t>(model.nbody - 1));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const mjtNum* q = data.qpos + 7 * i;
    const mjtNum* v = data.qvel + 6 * i;
    peers::BodyState& s = states[i];
    s = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}, {v[0], v[1], v[2]}, {}};
    mju_rotVecQuat(s.angular_velocity.data(), v + 3, q + 3);  // a free joint rotates in the body's axes
  }
  return states;
}

void run(const peers::Arguments& arguments) {
  const peers::Scene scene(arguments);
  mju_user_error = stop;
  mju_user_warning = [](const char*) {};  // mjData counts the warnings
  mjModel* model =
      load(model_text(scene, peers::read_states(arguments.text("start")), arguments.whole("iterations")));
  mjData* data = mj_makeData(model);
  double iterations = 0.0;
  int contacts = 0;
  peers::time_steps(scene, arguments.text("times"), [&] {
    mj_step(model, data);
    iterations += data->solver_iter;
    contacts = std::max(contacts, data->ncon);
  });
  peers::write_states(arguments.text("end"), states_of(*model, *data));
  std::string remarks;
  for (int k = 0; k < mjNWARNING; ++k) {
    if (data->warning[k].number == 0) continue;
    const bool no_room = k == mjWARN_CONTACTFULL || k == mjWARN_CNSTRFULL;
    remarks +=
        (remarks.empty() ? "" : "; ") +
        (no_room ? std::string("contacts left out for want of room, in steps") : mju_warningText(k, 0)) +
        ": " + std::to_string(data->warning[k].number);
  }
  std::printf(
      "{\"version\": \"MuJoCo %s\", \"iterations\": %.4g, \"contacts_most\": %d, \"remarks\": \"%s\"}\n",
      mj_versionString(), iterations / std::max(1, scene.steps), contacts, remarks.c_str());
  mj_deleteData(data);
  mj_deleteModel(model);
}

}  // namespace

int main(int argc, char** argv) { return peers::run_program("peers_mujoco", argc, argv, run); }
