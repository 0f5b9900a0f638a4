// A motor with a nonlinear controller: five unknowns that depend on each other in every implicit step, and one
// of them, x1, from which all others follow.
model five_variables
  parameter Real omega(unit = "rad/s") = 2 "own frequency of the plant";
  parameter Real D = 0.3 "its damping ratio";
  parameter Real k = 1.5 "its gain";
  parameter Real f = 0.8 "rate of the integral part";
  parameter Real g = 4 "gain of the proportional part";
  Real x(start = 0, fixed = true) "integral part";
  Real x1(start = 1, fixed = true) annotation(__Scree_tearing = true);
  Real x2(start = 0, fixed = true);
  Real u "what the controller gives";
  Real y "what is measured";
equation
  der(x) = -f*y;
  u = x - 2*atan(g*y/2);
  der(x1) = x2;
  der(x2) = omega^2*(k*u - x1) - 2*D*omega*x2;
  y = x1 + x1^3/10;
end five_variables;
