// A bridge of resistors, one of which bends its characteristic, between a source of alternating voltage and a
// capacitor: an algebraic loop whose equations no order makes assignments.

connector Pin
  Real v(unit = "V");
  flow Real i(unit = "A");
end Pin;

model Resistor
  parameter Real R(unit = "Ohm");
  Pin p;
  Pin n;
equation
  p.v - n.v = R*p.i;
  p.i + n.i = 0;
end Resistor;

model Lamp "its resistance grows with the current"
  parameter Real R(unit = "Ohm");
  parameter Real c(unit = "1/A2") = 2;
  Pin p;
  Pin n;
equation
  p.v - n.v = R*(1 + c*p.i^2)*p.i;
  p.i + n.i = 0;
end Lamp;

model Capacitor
  parameter Real C(unit = "F");
  Real u(start = 0, fixed = true, unit = "V");
  Pin p;
  Pin n;
equation
  u = p.v - n.v;
  C*der(u) = p.i;
  p.i + n.i = 0;
end Capacitor;

model Source
  parameter Real V(unit = "V") = 10;
  parameter Real f(unit = "Hz") = 50;
  Pin p;
  Pin n;
equation
  p.v - n.v = V*sin(2*Modelica.Constants.pi*f*time);
  p.i + n.i = 0;
end Source;

model Ground
  Pin p;
equation
  p.v = 0;
end Ground;

model circuit
  Source source;
  Ground ground;
  Resistor r1(R = 10);
  Resistor r2(R = 20);
  Lamp lamp(R = 15);
  Resistor r4(R = 30);
  Resistor bridge(R = 5);
  Capacitor c(C = 1e-3);
equation
  connect(source.n, ground.p);
  connect(source.p, r1.p);
  connect(source.p, lamp.p);
  connect(r1.n, bridge.p);
  connect(r1.n, r2.p);
  connect(lamp.n, bridge.n);
  connect(lamp.n, r4.p);
  connect(r2.n, c.p);
  connect(r4.n, c.p);
  connect(c.n, ground.p);
end circuit;
