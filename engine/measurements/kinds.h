// The kinds of measurements, each in its own file; make_measurement() creates them.
#pragma once

#include <limits>

#include "engine/measurements/measurement.h"

namespace scree {

std::unique_ptr<Measurement> make_quantities(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_flow(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_bulk(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_surface(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_mixing(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_residence(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_pair_correlation(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_profile(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_bodies(const MeasurementPlan& plan);
std::unique_ptr<Measurement> make_screening(const MeasurementPlan& plan);

/// An unknown value.
inline constexpr double none = std::numeric_limits<double>::quiet_NaN();
/// Unknown if b is not above 0.
inline double ratio(double a, double b) { return b > 0.0 ? a / b : none; }

/// "mass_flow_kg_s" for each class: "mass_flow_kg_s.glass".
void add_columns(std::vector<MeasuredColumn>& columns, const std::string& name, const std::string& unit,
                 const Classes& classes);
/// "velocity_x_m_s", and the same for y and z.
void add_vector(std::vector<MeasuredColumn>& columns, const std::string& before, const std::string& after,
                const std::string& unit);
/// Appends the numbers of such columns.
void append(std::vector<double>& row, const Vec3& v);

}  // namespace scree
