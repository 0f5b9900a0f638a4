model drive
  input Real w;
  parameter Real resistance = 0.5;
  Real current, torque;
equation
  12 = resistance*current + 0.05*w;
  torque = 0.05*current;
end drive;
