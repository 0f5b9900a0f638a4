// A pendulum in Cartesian coordinates: the length of its rod is a constraint, the force in it an unknown. Index 3.
model pendulum
  parameter Real m(unit = "kg") = 1;
  parameter Real L(unit = "m") = 1;
  parameter Real g(unit = "m/s2") = 9.81;
  Real x(start = 1, fixed = true, unit = "m");
  Real y(start = 0, unit = "m");
  Real vx(start = 0, unit = "m/s");
  Real vy(start = 0, fixed = true, unit = "m/s");
  Real F(unit = "N/m") "pull of the rod by its length";
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -F*x;
  m*der(vy) = -F*y - m*g;
  x^2 + y^2 = L^2;
end pendulum;
