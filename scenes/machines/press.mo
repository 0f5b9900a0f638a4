// A pump, a relief valve and the oil in a cylinder. The scene tells how far the piston is and how fast it goes,
// and takes its force; the oil is so stiff that force and motion have to be found together.
model press
  input Real way(unit = "m") "of the piston, outwards";
  input Real speed(unit = "m/s");
  parameter Real area(unit = "m2") = 2e-3;
  parameter Real dead(unit = "m3") = 2e-4 "oil behind the piston at the start";
  parameter Real bulk(unit = "Pa") = 1.4e9 "modulus of oil";
  parameter Real pump(unit = "m3/s") = 1.5e-4;
  parameter Real opens(unit = "Pa") = 2e6 "the relief valve";
  parameter Real conductance(unit = "m3/(s.Pa)") = 5e-10 "of the valve, above that";
  Real p(unit = "Pa", start = 0, fixed = true, nominal = 1e6);
  Real relief(unit = "m3/s", nominal = 1e-4);
  Real force(unit = "N", nominal = 1e3);
equation
  (dead + area*way)*der(p) = bulk*(pump - relief - area*speed);
  relief = if p > opens then conductance*(p - opens) else 0;
  force = area*p;
end press;
