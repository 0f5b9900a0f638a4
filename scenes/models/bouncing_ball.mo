// A ball that falls and bounces, each time with a part of its speed. The bounces end after 4.06 s; before that they fit
// into one step, which does not see them then, and the ball falls through.
model bouncing_ball
  parameter Real e = 0.8 "of the speed, that a bounce leaves";
  parameter Real g(unit = "m/s2") = 9.81;
  Real h(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
  end when;
end bouncing_ball;
