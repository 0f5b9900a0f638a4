// A motor on a constant voltage with some inductance: its torque decreases with its speed, with a short delay.
model drive
  input Real speed(unit = "rad/s");
  Real current(unit = "A", start = 0, fixed = true);
  Real torque(unit = "N.m");
equation
  0.002*der(current) = 6 - 0.5*current - 1.5*speed;
  torque = 0.5*current;
end drive;
