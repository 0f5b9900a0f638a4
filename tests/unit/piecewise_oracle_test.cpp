// Times of breaks against CVODE of SUNDIALS, with its own root finder; built if it is installed.
#include <Eigen/Core>
#include <cvode/cvode.h>
#include <gtest/gtest.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "tests/support/piecewise.h"

namespace scree {
namespace {

using Y = Eigen::Matrix<double, 4, 1>;  // x, z, vx, vz
constexpr double drag = 0.05, keeps = 0.9, left = -2.0, right = 5.0;

/// A ball in air, with drag proportional to the square of its velocity.
Y flight(double, const Y& y) {
  const double speed = y.tail<2>().norm();
  return {y[2], y[3], -drag * speed * y[2], -9.807 - drag * speed * y[3]};
}
double distance(int wall, const Y& y) { return wall == 0 ? y[0] - left : wall == 1 ? right - y[0] : y[1]; }
Y bounce(int wall, Y y) {
  y[wall == 2 ? 3 : 2] *= -keeps;
  y[wall == 2 ? 1 : 0] = wall == 0 ? left : wall == 1 ? right : 0.0;
  return y;
}
const Y start(0.0, 1.0, 7.0, 7.0);

struct Instant {
  double time;
  int wall;
};

std::vector<Instant> by_cvode(double end) {
  std::vector<Instant> list;
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(4, context);
  const auto state = [&] { return Eigen::Map<Y>(N_VGetArrayPointer(y)); };
  state() = start;
  void* cvode = CVodeCreate(CV_ADAMS, context);
  CVodeInit(
      cvode,
      [](realtype t, N_Vector at, N_Vector slope, void*) {
        Eigen::Map<Y>(N_VGetArrayPointer(slope)) = flight(t, Eigen::Map<Y>(N_VGetArrayPointer(at)));
        return 0;
      },
      0.0, y);
  CVodeSStolerances(cvode, 1e-13, 1e-14);
  CVodeSetMaxNumSteps(cvode, 1000000);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeSetNonlinearSolver(cvode, iteration);
  CVodeRootInit(cvode, 3, [](realtype, N_Vector at, realtype* value, void*) {
    for (int wall = 0; wall < 3; ++wall) value[wall] = distance(wall, Eigen::Map<Y>(N_VGetArrayPointer(at)));
    return 0;
  });
  int falling[] = {-1, -1, -1};
  CVodeSetRootDirection(cvode, falling);
  for (double t = 0.0; t < end;) {
    const int flag = CVode(cvode, end, y, &t, CV_NORMAL);
    EXPECT_GE(flag, 0);
    if (flag != CV_ROOT_RETURN) break;
    int found[3];
    CVodeGetRootInfo(cvode, found);
    for (int wall = 0; wall < 3; ++wall) {
      if (found[wall] == 0) continue;
      list.push_back({t, wall});
      state() = bounce(wall, state());
    }
    CVodeReInit(cvode, t, y);
  }
  CVodeFree(&cvode);
  SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return list;
}

// A dozen bounces in a rectangle with air: CVODE's accuracy is about 1e-11 over them.
TEST(PiecewiseOracle, EventTimesMatchCvode) {
  const std::vector<Instant> oracle = by_cvode(6.0);
  ASSERT_GE(oracle.size(), 6u);
  std::vector<EventFunction<Y>> walls;
  for (int wall = 0; wall < 3; ++wall)
    walls.push_back({[wall](double, const Y& y) { return distance(wall, y); }, Crossing::falling, false,
                     [wall](double, const Y& y) { return bounce(wall, y); }});
  PiecewiseMotion motion(flight, walls, BreakForm::polished, 0.0, start);
  std::vector<Break<Y>> breaks;
  for (int k = 0; k < 3000; ++k)
    for (const Break<Y>& b : motion.step(0.002).breaks) breaks.push_back(b);
  ASSERT_EQ(breaks.size(), oracle.size());
  for (std::size_t k = 0; k < breaks.size(); ++k) {
    EXPECT_EQ(breaks[k].event, static_cast<std::size_t>(oracle[k].wall)) << k;
    EXPECT_NEAR(breaks[k].time, oracle[k].time, 1e-10) << k;
  }
}

}  // namespace
}  // namespace scree
