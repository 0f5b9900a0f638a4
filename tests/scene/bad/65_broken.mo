model broken
  input Real w = 3;
  Real x;
equation
  der(x) = -x + y;
end broken;
