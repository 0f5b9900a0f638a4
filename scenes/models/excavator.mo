// The boom of an excavator as a plane mechanism: boom, stick and bucket, three cylinders of barrel and rod, rocker
// and link of the bucket: eleven moving bodies, fifteen joints of one freedom each, four loops, three degrees of
// freedom. Joint k has the coordinate rk; the joints R6, R8, R11 and R14 are cut and give two closures each.
//
//   R1  base - barrel of the boom's cylinder      R9  stick - rocker
//   R2  boom - barrel of the stick's cylinder     P10 bucket's cylinder
//   R3  stick - barrel of the bucket's cylinder   R11 its rod - rocker (cut)
//   P4  boom's cylinder                           R12 boom - stick
//   P5  stick's cylinder                          R13 rocker - link
//   R6  rod of the boom's cylinder - boom (cut)   R14 link - bucket (cut)
//   R7  base - boom                               R15 stick - bucket
//   R8  rod of the stick's cylinder - stick (cut)
//
// Lengths are those of a machine of about 20 t, between pins.

// A cylinder that turns one body against the one that carries it. All is seen in the carrier's axes, from the joint
// between both. The rod's pin is closed in the axes of the barrel: along it by the length, across it nothing is left.
model Cylinder
  parameter Real ax(unit = "m") "pin of the barrel, in the carrier's axes";
  parameter Real ay(unit = "m");
  parameter Real bx(unit = "m") "pin of the rod, in the axes of the body that is turned";
  parameter Real by(unit = "m");
  parameter Real k(unit = "1/s") = 4 "of the valve: rate of the piston by the error of its length";
  Real q(unit = "rad") "angle between both bodies";
  Real barrel(unit = "rad") "angle of the barrel";
  Real length(unit = "m") "from pin to pin";
  Real command(unit = "m") "what the length should be";
equation
  (bx*cos(q) - by*sin(q) - ax)*cos(barrel) + (bx*sin(q) + by*cos(q) - ay)*sin(barrel) = length;
  (bx*sin(q) + by*cos(q) - ay)*cos(barrel) - (bx*cos(q) - by*sin(q) - ax)*sin(barrel) = 0;
  // The piston's rate is that of the angle times its lever.
  ((bx*cos(q) - by*sin(q))*sin(barrel) - (bx*sin(q) + by*cos(q))*cos(barrel))*der(q) = k*(command - length);
end Cylinder;

// Rocker, link and cylinder that turn the bucket, in the stick's axes from the rocker's joint.
model BucketLinkage
  parameter Real ax(unit = "m") = -2.0 "pin of the barrel";
  parameter Real ay(unit = "m") = 0.35;
  parameter Real px(unit = "m") = 0.42 "joint of the bucket";
  parameter Real py(unit = "m") = -0.05;
  parameter Real rocker(unit = "m") = 0.65;
  parameter Real link(unit = "m") = 0.60;
  parameter Real crank(unit = "m") = 0.45 "from the bucket's joint to its pin for the link";
  parameter Real turn(unit = "rad") = 2.1 "of that pin against the bucket's axis";
  parameter Real k(unit = "1/s") = 4;
  Real barrel(unit = "rad");
  Real length(unit = "m");
  Real rocked(unit = "rad") "angle of the rocker";
  Real linked(unit = "rad") "of the link against the rocker";
  Real q(unit = "rad") "of the bucket";
  Real command(unit = "m");
equation
  // Rod and rocker, in the axes of the barrel.
  (rocker*cos(rocked) - ax)*cos(barrel) + (rocker*sin(rocked) - ay)*sin(barrel) = length;
  (rocker*sin(rocked) - ay)*cos(barrel) - (rocker*cos(rocked) - ax)*sin(barrel) = 0;
  // Link and bucket: their pins are the link's length apart, and lie along the link.
  (px + crank*cos(q + turn) - rocker*cos(rocked))^2 + (py + crank*sin(q + turn) - rocker*sin(rocked))^2 = link^2;
  (py + crank*sin(q + turn) - rocker*sin(rocked))*cos(rocked + linked)
    - (px + crank*cos(q + turn) - rocker*cos(rocked))*sin(rocked + linked) = 0;
  // Rate of the piston, over rocker and link, by that of the bucket.
  sin(barrel - rocked)*crank*sin(rocked + linked - q - turn)*der(q) = k*(command - length)*sin(linked);
end BucketLinkage;

// A body that gravity pulls at; angles from the horizontal.
model Weight
  parameter Real m(unit = "kg");
  parameter Real cx(unit = "m") "centre of mass, in axes of the body from its joint";
  parameter Real cy(unit = "m");
  parameter Real g(unit = "m/s2") = 9.81;
  Real x(unit = "m") "of its joint";
  Real angle(unit = "rad");
  Real centre(unit = "m") "x of the centre of mass";
  Real force(unit = "N");
equation
  centre = x + cx*cos(angle) - cy*sin(angle);
  force = m*g;
end Weight;

model excavator
  parameter Real boomLength(unit = "m") = 5.7;
  parameter Real stickLength(unit = "m") = 2.9;
  parameter Real rockerAt(unit = "m") = 2.48 "from the stick's joint to the rocker's";
  parameter Real toothAt(unit = "m") = 1.45 "from the bucket's joint";
  parameter Real period(unit = "s") = 5 "of one cut";
  parameter Real pi = 3.14159265358979;

  Real r1(start = 1.2, unit = "rad");
  Real r2(start = 0, unit = "rad");
  Real r3(start = 0.1, unit = "rad");
  Real r4(start = 2, unit = "m");
  Real r5(start = 3, unit = "m");
  Real r7(start = 0.2, fixed = true, stateSelect = StateSelect.always, unit = "rad") annotation(__Scree_tearing = true);
  Real r9(start = 1.57, unit = "rad");
  Real r10(start = 2, unit = "m");
  Real r12(start = -1.6, fixed = true, stateSelect = StateSelect.always, unit = "rad") annotation(__Scree_tearing = true);
  Real r13(start = -2, unit = "rad");
  Real r15(start = -0.5, fixed = true, stateSelect = StateSelect.always, unit = "rad") annotation(__Scree_tearing = true);

  Cylinder boomCylinder(ax = 0.55, ay = -0.6, bx = 2.45, by = 0.35);
  Cylinder stickCylinder(ax = -2.9, ay = 0.95, bx = -0.8, by = 0.1);
  BucketLinkage bucketLinkage;

  Weight boom(m = 1900, cx = 2.6, cy = 0.45);
  Weight stick(m = 1050, cx = 0.9, cy = 0.1);
  Weight bucket(m = 850, cx = 0.65, cy = -0.1);
  Real torque7(unit = "N.m") "of all weights about the boom's joint";
  Real torque12(unit = "N.m");
  Real torque15(unit = "N.m");
  Real force4(unit = "N") "that holds them, in the boom's cylinder";
  Real force5(unit = "N");
  Real force10(unit = "N");
  Real toothX(unit = "m");
  Real toothY(unit = "m");
equation
  // Joints' coordinates.
  boomCylinder.barrel = r1;
  boomCylinder.length = r4;
  boomCylinder.q = r7;
  stickCylinder.barrel = r2;
  stickCylinder.length = r5;
  stickCylinder.q = r12;
  bucketLinkage.barrel = r3;
  bucketLinkage.length = r10;
  bucketLinkage.rocked = r9;
  bucketLinkage.linked = r13;
  bucketLinkage.q = r15;

  // What the driver asks for: out, down, crowd and curl, lift.
  boomCylinder.command = 2.25 - 0.2*sin(2*pi*time/period);
  stickCylinder.command = 2.85 + 0.35*(1 - cos(2*pi*time/period));
  bucketLinkage.command = 2.05 + 0.18*(1 - cos(2*pi*(time - 0.4)/period));

  // Weights, and the forces that hold them by virtual work.
  boom.x = 0;
  boom.angle = r7;
  stick.x = boomLength*cos(r7);
  stick.angle = r7 + r12;
  bucket.x = stick.x + stickLength*cos(stick.angle);
  bucket.angle = stick.angle + r15;
  torque15 = bucket.force*(bucket.centre - bucket.x);
  torque12 = bucket.force*(bucket.centre - stick.x) + stick.force*(stick.centre - stick.x);
  torque7 = bucket.force*bucket.centre + stick.force*stick.centre + boom.force*boom.centre;
  force4*((boomCylinder.bx*cos(r7) - boomCylinder.by*sin(r7))*sin(r1)
    - (boomCylinder.bx*sin(r7) + boomCylinder.by*cos(r7))*cos(r1)) = torque7;
  force5*((stickCylinder.bx*cos(r12) - stickCylinder.by*sin(r12))*sin(r2)
    - (stickCylinder.bx*sin(r12) + stickCylinder.by*cos(r12))*cos(r2)) = torque12;
  force10*sin(r3 - r9)*bucketLinkage.crank*sin(r9 + r13 - r15 - bucketLinkage.turn) = torque15*sin(r13);
  toothX = bucket.x + toothAt*cos(bucket.angle);
  toothY = boomLength*sin(r7) + stickLength*sin(stick.angle) + toothAt*sin(bucket.angle);
end excavator;
