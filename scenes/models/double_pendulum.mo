// Two rods with masses at their ends, from submodels: joints, rods and a wall, tied by connectors. The lengths of the
// rods and the joints are constraints between positions; nothing is written down in independent coordinates.

connector Frame "a point of a body and its direction; forces and torques that act on what it belongs to"
  Real x(unit = "m");
  Real y(unit = "m");
  Real phi(unit = "rad");
  flow Real fx(unit = "N");
  flow Real fy(unit = "N");
  flow Real torque(unit = "N.m");
end Frame;

model Wall
  Frame f;
equation
  f.x = 0;
  f.y = 0;
  f.phi = 0;
end Wall;

model Revolute
  Frame a;
  Frame b;
equation
  a.x = b.x;
  a.y = b.y;
  a.fx + b.fx = 0;
  a.fy + b.fy = 0;
  a.torque = 0;
  b.torque = 0;
end Revolute;

model Rod "massless, with a mass at its end b"
  parameter Real L(unit = "m") = 1;
  parameter Real m(unit = "kg") = 1;
  parameter Real g(unit = "m/s2") = 9.81;
  Frame a;
  Frame b;
  Real phi(unit = "rad", stateSelect = StateSelect.prefer) "from the horizontal";
  Real w(unit = "rad/s", stateSelect = StateSelect.prefer);
  Real vx(unit = "m/s");
  Real vy(unit = "m/s");
equation
  a.phi = phi;
  b.phi = phi;
  der(phi) = w;
  b.x = a.x + L*cos(phi);
  b.y = a.y + L*sin(phi);
  der(b.x) = vx;
  der(b.y) = vy;
  m*der(vx) = a.fx + b.fx;
  m*der(vy) = a.fy + b.fy - m*g;
  a.torque + b.torque + (a.x - b.x)*a.fy - (a.y - b.y)*a.fx = 0;
end Rod;

model double_pendulum
  Wall wall;
  Revolute shoulder;
  Revolute elbow;
  Rod upper(phi(start = 0, fixed = true), w(start = 0, fixed = true));
  Rod lower(phi(start = 0, fixed = true), w(start = 0, fixed = true));
equation
  connect(wall.f, shoulder.a);
  connect(shoulder.b, upper.a);
  connect(upper.b, elbow.a);
  connect(elbow.b, lower.a);
end double_pendulum;
