// Numbers that both forms of `consensus` share.
#pragma once

namespace scree {

inline constexpr double kappa = 3.0;  // penalty over the mean of 1/W
inline constexpr double over_relaxation = 1.6;
inline constexpr int iterations_between_checks = 5;
// A run that asks for no more than a part in a thousand ends before; what is left after so many iterations
// falls by Newton steps, see proximal_newton.h.
inline constexpr int iterations_before_newton = 100;

}  // namespace scree
