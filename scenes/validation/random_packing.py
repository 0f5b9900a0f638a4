"""Random packings: solid fraction and contacts of spheres and ellipsoids that were pressed until they jammed."""

from scree.validation_case import Check, Form

TITLE = "Random close packing of spheres and ellipsoids"
MEASURES = ("Solid fraction, and contacts a body without rattlers, of rigid bodies at rest under an isotropic pressure. Without "
            "friction spheres are isostatic, 6 contacts; ellipsoids fill more. With friction spheres fill less.")
SOURCES = ["I. Agnolin, J.-N. Roux 2007, Phys. Rev. E 76, 061302. doi:10.1103/PhysRevE.76.061302 (spheres: 0.639 and 6 without "
           "friction; 0.593 and 4.5 pressed from a gas with friction 0.3)",
           "A. Donev et al. 2004, Science 303, 990. doi:10.1126/science.1093010 (ellipsoids: 0.70 to 0.735)",
           "W. Man et al. 2005, Phys. Rev. Lett. 94, 198001. doi:10.1103/PhysRevLett.94.198001 (1.25 : 1 : 0.8)"]
SHAPES = {"sphere": (1.0, 1.0), "triaxial": (1.25, 1.0), "oblate": (1.6**(1 / 3), 1.6**(1 / 3))}
SHORT = Form(points=[{"friction": mu, "support": 2 if mu else 4, "a": SHAPES[s][0], "b": SHAPES[s][1]} for mu, s in
                     ((0.0, "sphere"), (0.3, "sphere"), (0.0, "triaxial"), (0.0, "oblate"))], seeds=2, seconds=30)
FULL = Form(points=[*({"friction": mu, "support": 2 if mu else 4, "a": 1.0, "b": 1.0} for mu in (0.0, 0.1, 0.3, 0.5, 1.0)),
                    {"friction": 0.0, "support": 4, "a": 1.25, "b": 1.0},
                    *({"friction": 0.0, "support": 4, "a": q**(1 / 3), "b": q**(1 / 3)} for q in (1.1, 1.3, 1.6, 2.0, 2.5)),
                    *({"friction": 0.0, "support": 4, "a": q**(2 / 3), "b": q**(-1 / 3)} for q in (1.1, 1.3, 1.6, 2.0, 2.5))],
            set={"count": 3000, "solver.tolerance": 1e-4}, seeds=3, seconds=5400)


def shape(point):
    a, b = point["a"], point["b"]
    c = 1 / (a * b)
    if a == b == 1:
        return "sphere"
    return f"oblate {a / c:.2g}" if a == b else f"prolate {a / b:.2g}" if abs(b - c) < 1e-9 else "1.25 : 1 : 0.8"


def analyse(points):
    checks = []
    for point in points:
        fraction, contacts = point.mean("packing.solid_fraction"), point.mean("packing.contact_number_without_rattlers")
        where = f"{shape(point)}, friction {point['friction']:g}"
        if shape(point) == "sphere" and point["friction"] in (0.0, 0.3):
            low, high, z, dz = (0.634, 0.644, 6, 0.1) if point["friction"] == 0 else (0.588, 0.598, 4.5, 0.2)
            checks += [Check(f"solid fraction, {where}", fraction.value, fraction.error, low, high, published="0.639 or 0.593"),
                       Check(f"contacts, {where}", contacts.value, contacts.error, z - dz, z + dz, published="Agnolin, Roux")]
        elif shape(point) in ("1.25 : 1 : 0.8", "oblate 1.6", "prolate 1.6"):
            checks.append(Check(f"solid fraction, {where}", fraction.value, fraction.error, 0.70, 0.735, published="a band"))
    return checks


def draw(axes, points):
    for point in points:
        axes.plot(point.mean("packing.contact_number_without_rattlers").value, point.mean("packing.solid_fraction").value,
                  "o", label=f"{shape(point)}, friction {point['friction']:g}")
    axes.axhspan(0.70, 0.735, alpha=0.2, label="Donev et al., ellipsoids")
    axes.errorbar([6, 4.5], [0.639, 0.593], fmt="k+", ms=12, label="Agnolin & Roux, spheres")
    axes.set(xlabel="contacts a body, without rattlers", ylabel="solid fraction")
    axes.legend(fontsize=7)
