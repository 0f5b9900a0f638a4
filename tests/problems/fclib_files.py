"""FCLib's files, written by h5py as FCLib's own C functions write them, and read into dense numpy arrays."""

import h5py
import numpy as np

TRIPLETS, COLUMNS, ROWS = "triplets", "columns", "rows"


def example(dimension, equalities, bodies=6, contacts=6, seed=1):
    """A global problem with six velocities per body: M, H, G, f, w, b, mu, dense."""
    random = np.random.RandomState(seed)
    size = 6 * bodies
    mass = np.zeros((size, size))
    for k in range(bodies):
        root = random.uniform(-1.0, 1.0, (6, 6))
        mass[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = root @ root.T + np.eye(6)
    directions, joints = np.zeros((size, dimension * contacts)), np.zeros((size, equalities))
    for matrix, width in ((directions, dimension), (joints, 1)):
        for first in range(0, matrix.shape[1], width):
            for body in random.choice(bodies, 2, replace=False):
                matrix[6 * body : 6 * body + 6, first : first + width] = random.uniform(-1.0, 1.0, (6, width))
    return {
        "spacedim": dimension,
        "M": mass,
        "H": directions,
        "G": joints,
        "f": mass @ random.uniform(-1.0, 1.0, size),
        "w": random.uniform(-1.0, 0.2, dimension * contacts),
        "b": random.uniform(-1.0, 1.0, equalities),
        "mu": random.uniform(0.1, 0.9, contacts),
    }


def local_form(p):
    """The same problem as W, V, R, q, s, by numpy's dense solver."""
    inverse = np.linalg.inv(p["M"])
    return {
        "spacedim": p["spacedim"],
        "W": p["H"].T @ inverse @ p["H"],
        "V": p["H"].T @ inverse @ p["G"],
        "R": p["G"].T @ inverse @ p["G"],
        "q": p["H"].T @ inverse @ p["f"] + p["w"],
        "s": p["G"].T @ inverse @ p["f"] + p["b"],
        "mu": p["mu"],
    }


def reduced(p):
    """W and q without multipliers of equality constraints, dense; `p` is of either form."""
    p = local_form(p) if "M" in p else p
    if p.get("R") is None or p["R"].size == 0:
        return p["W"], p["q"]
    inverse = np.linalg.pinv(p["R"])
    return p["W"] - p["V"] @ inverse @ p["V"].T, p["q"] - p["V"] @ inverse @ p["s"]


def sparse(matrix, storage):
    """nz, p, i, x of FCLib. Triplets have columns in p and rows in i, as written by Siconos."""
    if storage == TRIPLETS:
        i, p = np.nonzero(matrix)
        return len(i), p, i, matrix[i, p]
    lines = matrix if storage == ROWS else matrix.T
    line, i = np.nonzero(lines)
    p = np.searchsorted(line, np.arange(lines.shape[0] + 1))
    return -2 if storage == ROWS else -1, p, i, lines[line, i]


def put(group, name, values, kind):
    group.create_dataset(name, data=np.atleast_1d(np.asarray(values, dtype=kind)))


def put_text(group, name, text):
    group.create_dataset(name, data=np.bytes_(text.encode() + b"\0"), dtype=f"S{len(text) + 1}")


def write_matrix(parent, name, matrix, storage):
    group = parent.create_group(name)
    nz, p, i, x = sparse(matrix, storage)
    for key, value in (("nzmax", len(x)), ("m", matrix.shape[0]), ("n", matrix.shape[1]), ("nz", nz)):
        put(group, key, value, np.int32)
    put(group, "p", p, np.int32)
    put(group, "i", i, np.int32)
    put(group, "x", x, np.float64)


FORMS = {  # matrices, vectors, and those only for equality constraints
    "fclib_local": (("W", "V", "R"), ("q", "mu", "s"), ("V", "R", "s")),
    "fclib_global": (("M", "H", "G"), ("f", "w", "mu", "b"), ("G", "b")),
}


def write(path, p, storage=ROWS, title="", solution=None, guesses=()):
    """`solution` and `guesses`: dictionaries of v, u, r, l."""
    form = "fclib_local" if "W" in p else "fclib_global"
    matrices, vectors, optional = FORMS[form]
    multipliers = p.get("V", p.get("G"))
    left_out = optional if multipliers is None or multipliers.shape[1] == 0 else ()
    with h5py.File(path, "w") as file:
        group = file.create_group(form)
        put(group, "spacedim", p["spacedim"], np.int32)
        for name in matrices:
            if name not in left_out:
                write_matrix(group, name, p[name], storage)
        for name in vectors:
            if name not in left_out:
                put(group.require_group("vectors"), name, p[name], np.float64)
        if title:
            for name, text in (("title", title), ("description", "of a test"), ("math_info", "")):
                put_text(group.require_group("info"), name, text)
        if solution:
            write_vectors(file.create_group("solution"), solution)
        if guesses:
            put(file.create_group("guesses"), "number_of_guesses", len(guesses), np.int32)
            for k, guess in enumerate(guesses, 1):
                write_vectors(file["guesses"].create_group(str(k)), guess)


def write_vectors(group, vectors):
    for name, values in vectors.items():
        put(group, name, values, np.float64)


def read_matrix(group):
    rows, columns, nz = (int(group[key][0]) for key in ("m", "n", "nz"))
    p, i, x = group["p"][:], group["i"][:], group["x"][:]
    matrix = np.zeros((rows, columns))
    if nz >= 0:
        np.add.at(matrix, (i[:nz], p[:nz]), x[:nz])
    else:
        line = np.repeat(np.arange(len(p) - 1), np.diff(p))
        np.add.at(matrix, (line, i) if nz == -2 else (i, line), x[: p[-1]])
    return matrix


def read(path):
    """A problem of either form; `r` and `u` of the solution too, if there is one."""
    with h5py.File(path) as file:
        form = "fclib_local" if "fclib_local" in file else "fclib_global"
        group = file[form]
        p = {"spacedim": int(group["spacedim"][0])}
        p.update({name: read_matrix(group[name]) for name in FORMS[form][0] if name in group})
        p.update({name: values[:] for name, values in group["vectors"].items()})
        if "solution" in file:
            p.update({name: file["solution"][name][:] for name in ("r", "u")})
    if form == "fclib_global" and "G" not in p:
        p["G"], p["b"] = np.zeros((len(p["f"]), 0)), np.zeros(0)
    return p


def natural_map(w, q, mu, r, dimension):
    """Error of r, m/s: |r - P(r - rho u~)| / rho, one row per contact, with rho = 1 / W_nn."""
    u = (w @ r + q).reshape(-1, dimension)
    r = r.reshape(-1, dimension)
    errors = []
    for c, friction in enumerate(mu):
        rho = 1.0 / w[dimension * c, dimension * c]
        aim = r[c] - rho * u[c]
        aim[0] -= rho * friction * np.linalg.norm(u[c][1:])
        errors.append(np.linalg.norm(r[c] - project(aim, friction)) / rho)
    return np.array(errors)


def project(x, friction):
    """Projection onto the cone |x_t| <= friction x_n."""
    tangent = np.linalg.norm(x[1:])
    if tangent <= friction * x[0]:
        return x
    if friction * tangent <= -x[0]:
        return np.zeros_like(x)
    normal = (x[0] + friction * tangent) / (1.0 + friction**2)
    return np.concatenate(([normal], friction * normal / tangent * x[1:]))
