// A mass on a spring that swings against a stop: below x = 0 a second, stiffer spring pushes with it. The condition
// changes at an instant that steps do not know; they are cut there.
model spring_and_stop
  parameter Real m(unit = "kg") = 1;
  parameter Real k(unit = "N/m") = 4;
  parameter Real stop(unit = "N/m") = 96;
  Real x(start = 0.1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
  Real F(unit = "N") "of the stop";
equation
  der(x) = v;
  m*der(v) = F - k*x;
  if x < 0 then
    F = -stop*x;
  else
    F = 0;
  end if;
end spring_and_stop;
