model meter
  input Real f;
  Real sum(start = 0, fixed = true);
equation
  der(sum) = f;
end meter;
