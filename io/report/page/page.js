"use strict";
// The page of a run: fills in what was run, draws the diagrams, shows the bodies over time. Served by `scree watch`
// it asks for what is new while the run goes on.
(() => {
  const first = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const made = (tag, text, parent) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  };
  const digits = (x, n = 3) => (x === null || x === undefined ? "-"
    : Math.abs(x) >= 1000 ? Math.round(x).toLocaleString("en")
    : Number(x).toPrecision(n).replace(/(\.\d*?)0+($|e)/, "$1$2").replace(/\.($|e)/, "$1"));
  const short = (x) => (x !== null && x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6) ? Number(x).toExponential(1)
    : digits(x));
  const clockDigits = (end) => (end > 0 ? Math.min(9, Math.max(3, Math.floor(3 - Math.log10(end)))) : 3);
  const duration = (s) => (s < 120 ? `${digits(s)} s` : s < 7200 ? `${digits(s / 60)} min` : `${digits(s / 3600)} h`);

  // --- can it be trusted? ---------------------------------------------------------------------------------------
  /// Words and signs say it too: colours are not for everybody, nor for every printer.
  function showVerdict(verdict) {
    const signs = { green: "\u2713", amber: "!", red: "\u2715" };
    const box = element("verdict");
    box.hidden = false;
    box.classList.add(verdict.grade);
    element("verdict-title").textContent = `${signs[verdict.grade]} Verdict: ${verdict.grade}, ${verdict.meaning}`;
    for (const finding of verdict.findings.filter((f) => f.grade !== "green")) {
      const item = made("li", undefined, element("verdict-findings"));
      item.className = finding.grade;
      made("b", finding.grade, item);
      item.append(finding.text);
      made("span", finding.advice, item);
    }
    const table = element("verdict-checks"), head = made("tr", undefined, table);
    for (const name of ["check", "grade", "value", "limit", ""]) made("th", name, head);
    for (const f of verdict.findings) {
      const row = made("tr", undefined, table);
      for (const text of [f.code.replaceAll("_", " "), f.grade, short(f.value), short(f.limit), f.text]) made("td", text, row);
    }
  }

  // --- what was run ---------------------------------------------------------------------------------------------
  function fillIn({ run, summary, version, folder }) {
    for (const id of ["verdict-findings", "verdict-checks", "numbers", "facts", "settings"]) element(id).replaceChildren();
    element("scene").textContent = run.scene;
    element("description").textContent = run.description;
    element("folder").textContent = folder;
    const status = element("status");
    status.textContent = summary ? summary.status : version ? "running" : "running or interrupted";
    status.className = !summary || summary.status === "interrupted" ? "open" : summary.status === "failed" ? "bad" : "";
    const card = (value, name) => {
      const box = made("div", undefined, element("numbers"));
      box.className = "card";
      made("b", value, box);
      made("span", name, box);
    };
    if (summary && summary.verdict) showVerdict(summary.verdict);
    card(run.bodies.toLocaleString("en"), "bodies");
    if (summary) {
      card(`${digits(summary.simulated_time_s)} s`, "simulated");
      card(duration(summary.wall_time_s), "computing");
      card(`${digits(1e3 * summary.median_step_time_s)} ms`, "a step, end");
      card(summary.contacts.toLocaleString("en"), "contacts, end");
      card(`${short(100 * summary.penetration_max_of_run)} %`, "largest overlap");
      card(short(summary.residual_rms_relative_mean), "mean residual");
      card(short(summary.energy_injected_relative), "energy injected");
    }
    const table = (rows) => {
      const box = made("table", undefined, element("facts"));
      for (const [name, value] of rows) {
        const row = made("tr", undefined, box);
        made("td", name, row);
        made("td", String(value), row);
      }
    };
    table([["time step", run.adaptive_step ? `adaptive, at most ${run.time_step_s} s` : `${run.time_step_s} s`], ["end time", `${run.end_time_s} s`],
      ["gravity", `(${run.gravity_m_s2.join(", ")}) m/s^2`],
      ...(summary ? [["solver", summary.solver], ["steps", summary.steps],
        ["steps that did not converge", summary.steps_not_converged], ["bodies lost", summary.lost_bodies]] : []),
      ...(summary && summary.ended_by ? [["ended by", summary.ended_by]] : []),
      ...(summary && summary.events || []).map((e) => [`event ${e.name}`,
        e.count ? `${digits(e.last.time_s, 6)} s: ${e.text}${e.count > 1 ? ` (${e.count} times)` : ""}` : "did not happen"]),
      ...run.overrides.map((o) => ["set on the command line", o])]);
    table([...run.materials.map((m) => [`material ${m.name}`,
      `${digits(m.density, 4)} kg/m^3, friction ${m.friction}, restitution ${m.restitution}`]),
      ...run.pairs.map((p) => [`${p.a} on ${p.b}`, `friction ${digits(p.friction)}, restitution ${digits(p.restitution)}`
        + (p.rolling_m ? `, rolling ${digits(p.rolling_m)} m` : "") + (p.torsional_m ? `, torsional ${digits(p.torsional_m)} m` : "")
        + (p.rolling_ratio ? `, rolling ${digits(p.rolling_ratio)} of the radius` : "")
        + (p.torsional_ratio ? `, torsional ${digits(p.torsional_ratio)} of the radius` : "")]),
      ...run.boundaries.map((b) => [`boundary ${b.name}`, b.kind])]);
    table([["started", run.created], ["machine", run.machine], ["compiler", run.compiler],
      ...(summary ? [["threads", summary.threads], ["real-time factor", digits(summary.real_time_factor)],
        ["final state", summary.state_hash]] : []),
      ["version", `${run.version}, commit ${run.commit}`]]);
    element("text").textContent = run.text;
    const settings = element("settings");
    for (const [name, value] of run.settings) {
      const row = made("tr", undefined, settings);
      made("td", name, row);
      made("td", value, row);
    }
  }

  // --- diagrams -------------------------------------------------------------------------------------------------
  const colours = ["#21918c", "#c44e52", "#3b528b", "#dd8452", "#8172b3", "#55a868", "#937860", "#da8bc3", "#8c8c8c"];
  /// As many decimals as the distance of the marks needs: 12.344, 12.346.
  const axisNumber = (u, values) => {
    const known = values.filter((v) => v !== null);
    const step = known.length > 1 ? Math.abs(known[1] - known[0]) : 0;
    const even = step > 0 && known.every((v, k) => k === 0 || Math.abs(Math.abs(v - known[k - 1]) - step) < 1e-3 * step);
    if (!even) return values.map((v) => (v === null ? "" : short(v)));
    const most = Math.max(...known.map(Math.abs)), order = (x) => Math.floor(Math.log10(x) + 1e-9);
    let decimals = 0;
    while (decimals < 15 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) ++decimals;
    const plain = most < 1e6 && decimals <= 6;
    const near = (v) => Math.abs(v) < 1e-6 * step;
    return values.map((v) => (v === null ? "" : near(v) ? "0"
      : plain ? v.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
      : v.toExponential(Math.min(15, Math.max(0, order(Math.abs(v)) - order(step) + (step / 10 ** order(step) % 1 > 1e-6 ? 1 : 0))))));
  };
  const readOut = (u, v) => (v === null || v === undefined ? "-" : `${Number(v.toPrecision(6))}`);

  function plotOptions(plot, width, onTime, log) {
    const scales = { x: { time: false } };
    if (log) scales.y = { distr: 3 };
    const bars = plot.bars ? { paths: uPlot.paths.bars({ size: [0.9, 80] }), points: { show: false } } : {};
    return {
      width, height: 260, scales,
      cursor: { sync: plot.over_time ? { key: "time" } : undefined, drag: { x: true, y: false } },
      axes: [{ label: plot.x_label, labelSize: 24, size: 42, values: axisNumber },
        { label: plot.y_label, labelSize: 22, size: 62, values: axisNumber }],
      series: [{ label: plot.over_time ? "t, s" : "x", value: readOut },
        ...plot.series.map((s, k) => ({ label: s.name, stroke: colours[k % colours.length], width: 1.5,
          dash: k < colours.length ? undefined : [8, 3],
          fill: plot.bars ? colours[0] + "99" : undefined, value: readOut, points: { show: false }, ...bars })),
        ...plot.limits.map((l) => ({ label: l.name, stroke: l.colour, width: 1, dash: [6, 4], value: readOut,
          points: { show: false } }))],
      hooks: plot.over_time ? { ready: [(u) => u.over.addEventListener("dblclick", () =>
        onTime(u.posToVal(u.cursor.left, "x")))] } : {},
    };
  }

  /// All diagrams. While a run continues, their lines become longer. Each has a button for a logarithmic axis.
  class Diagrams {
    constructor(onTime) {
      this.onTime = onTime;
      this.drawn = [];
      this.logs = new Map();
      window.addEventListener("resize", () => {
        for (const [plot, place] of this.drawn) plot.setSize({ width: place.clientWidth, height: 260 });
      });
    }

    isLog(plot) { return this.logs.get(plot.title) ?? plot.log; }

    lines(plot) {
      const log = this.isLog(plot);
      return [plot.x, ...plot.series.map((s) => s.values.map((v) => (log && !(v > 0) ? null : v))),
        ...plot.limits.map((l) => plot.x.map(() => l.value))];
    }

    draw(plot, place) {
      place.replaceChildren();
      return [new uPlot(plotOptions(plot, place.clientWidth, this.onTime, this.isLog(plot)), this.lines(plot), place), place];
    }

    show(plots) {
      const names = JSON.stringify(plots.map((p) => [p.title, ...p.series.map((s) => s.name), ...p.limits.map((l) => l.name)]));
      this.plots = plots;
      if (names === this.names) {
        this.drawn.forEach(([plot], k) => this.extend(plot, this.lines(plots[k])));
        return;
      }
      this.names = names;
      for (const [plot] of this.drawn) plot.destroy();
      element("plots").replaceChildren();
      this.drawn = plots.map((plot, k) => {
        const box = made("div", undefined, element("plots"));
        box.className = "plot";
        const title = made("h3", plot.title, box), place = made("div", undefined, box);
        if (!plot.bars) {
          const button = made("button", "log", title);
          button.setAttribute("aria-pressed", this.isLog(plot));
          button.onclick = () => {
            this.logs.set(plot.title, !this.isLog(plot));
            button.setAttribute("aria-pressed", this.isLog(plot));
            this.drawn[k][0].destroy();
            this.drawn[k] = this.draw(this.plots[k], place);
          };
        }
        if (plot.note) made("p", plot.note, box);
        return this.draw(plot, place);
      });
    }

    /// A part that was zoomed into stays.
    extend(plot, lines) {
      const x = plot.data[0], { min, max } = plot.scales.x, zoomed = min > x[0] || max < x[x.length - 1];
      plot.setData(lines, !zoomed);
      if (zoomed) plot.redraw();
    }
  }

  /// One diagram, of a column that the reader chooses.
  class AnyColumn {
    constructor(onTime) {
      this.onTime = onTime;
      this.log = false;
      element("any-column").onchange = () => this.draw();
      element("any-log").onclick = () => {
        this.log = !this.log;
        element("any-log").setAttribute("aria-pressed", this.log);
        this.draw();
      };
    }

    show(all) {
      this.all = all;
      element("any").hidden = !all || all.series.length === 0;
      if (element("any").hidden) return;
      const choice = element("any-column"), before = choice.value;
      choice.replaceChildren();
      for (const line of all.series) made("option", line.name, choice);
      if (all.series.some((line) => line.name === before)) choice.value = before;
      this.draw();
    }

    draw() {
      const place = element("any-plot"), line = this.all.series.find((s) => s.name === element("any-column").value);
      const plot = { ...this.all, y_label: line.name, series: [line] };
      place.replaceChildren();
      const values = line.values.map((v) => (this.log && !(v > 0) ? null : v));
      new uPlot(plotOptions(plot, place.clientWidth, this.onTime, this.log), [plot.x, values], place);
    }
  }

  // --- packed numbers -------------------------------------------------------------------------------------------
  async function inflated(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
  function summed(values, row) {
    for (let i = row; i < values.length; ++i) values[i] += values[i - row];
    return values;
  }
  async function frames16(text, row, Type) {
    const bytes = await inflated(text), n = bytes.length / 2, values = new Type(n);
    for (let i = 0; i < n; ++i) values[i] = bytes[i] | (bytes[n + i] << 8);
    return summed(values, row);
  }

  const floats = async (text) => new Float32Array((await inflated(text)).buffer);

  async function geometry(surface) {
    const shape = new THREE.BufferGeometry();
    shape.setAttribute("position", new THREE.BufferAttribute(await floats(surface.points), 3));
    shape.setAttribute("normal", new THREE.BufferAttribute(await floats(surface.normals), 3));
    shape.setIndex(new THREE.BufferAttribute(Uint32Array.from(await floats(surface.triangles)), 1));
    return shape;
  }

  // --- bodies in space ------------------------------------------------------------------------------------------
  class View {
    constructor(view) {
      this.view = view;
      this.frame = -1;
      this.time = view.times[0];
      this.playing = false;
      this.turned = false;  // by hand: then the camera stays where it is
      this.field = 0;
      this.plain = this.cellParts = [];
      this.parts = [];
      this.isComplete = false;  // nothing is drawn before, since a picture without a GPU takes seconds
      const canvas = element("canvas");
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
      this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
      this.renderer.outputEncoding = THREE.sRGBEncoding;
      this.renderer.shadowMap.enabled = view.bodies <= 20000;
      this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      this.scene = new THREE.Scene();
      this.camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
      this.camera.up.set(...view.up);
      this.controls = new THREE.OrbitControls(this.camera, canvas);
      this.controls.addEventListener("change", () => this.draw());
      this.controls.addEventListener("start", () => { this.turned = true; });
      this.lights = new THREE.Group();
      this.walls = new THREE.Group();
      this.scene.add(this.lights, this.walls);
      new ResizeObserver(() => this.fit()).observe(canvas.parentElement);
      this.fit();
    }

    /// Unpacks a view and shows its bodies from now on, at `time`.
    async take(view, time) {
      const n = view.bodies;
      const sizes = await floats(view.scale), mesh = await floats(view.mesh);
      const position = await frames16(view.position, 3 * n, Uint16Array);
      const quaternion = await frames16(view.quaternion, 4 * n, Int16Array);
      const colourFrames = [], surfaces = [];
      for (const field of view.fields) colourFrames.push(summed(await inflated(field.data), n));
      for (const surface of view.surfaces) surfaces.push(await geometry(surface));
      const light = (rgb) => new THREE.Color().setRGB(...rgb).convertSRGBToLinear();
      const scale = Array.from({ length: 256 }, (_, k) => {
        const at = (k / 255) * (view.map.length - 1), i = Math.min(view.map.length - 2, Math.floor(at)), f = at - i;
        return light(view.map[i].map((x, c) => (1 - f) * x + f * view.map[i + 1][c]));
      });
      const palette = Array.from({ length: 256 }, (_, k) => light(view.palette[k % view.palette.length]));
      const tables = view.fields.map((field) => (field.categories.length ? palette : scale));
      const cells = view.cells && { points: await floats(view.cells.points), triangles: await floats(view.cells.triangles),
        boundary: await floats(view.cells.boundary), levels: [] };
      if (cells) for (const felt of view.cells.felt) cells.levels.push(await floats(felt.level));
      Object.assign(this, { view, scale: sizes, position, quaternion, colourFrames, tables, cells, map: scale, frame: -1 });
      this.isComplete = false;
      this.addBodies(n, surfaces, mesh);
      this.addLights();
      this.addWalls();
      if (!this.turned) this.resetCamera();
      element("time").max = view.times.length - 1;
      showScale(view, view.fields[this.field]);
      this.showTime(time);
      this.isComplete = true;
      this.draw();
    }

    /// Bodies of the same mesh are drawn together: a ball for ellipsoids, one surface for each function.
    addBodies(n, surfaces, mesh) {
      for (const part of this.parts) this.remove(this.scene, part);
      const fine = n <= 3000 ? [32, 20] : n <= 20000 ? [20, 12] : [12, 8];
      const shapes = [new THREE.SphereGeometry(1, ...fine), ...surfaces], count = shapes.map(() => 0);
      this.place = Array.from(mesh, (k) => ({ part: k, slot: count[k]++ }));
      this.parts = shapes.map((shape, k) => {
        const part = new THREE.InstancedMesh(shape, new THREE.MeshStandardMaterial({ roughness: 0.55 }), count[k]);
        part.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * count[k]), 3);
        part.castShadow = part.receiveShadow = true;
        part.frustumCulled = false;
        if (count[k]) this.scene.add(part);
        return part;
      });
    }

    /// With what it holds on the graphics card.
    remove(from, thing) {
      from.remove(thing);
      for (const part of [thing.geometry, thing.material, thing]) if (part && part.dispose) part.dispose();
    }

    addLights() {
      for (const light of [...this.lights.children]) this.remove(this.lights, light);
      const { up, eye, middle } = this.view, vector = (v) => new THREE.Vector3(...v);
      const far = vector(eye).distanceTo(vector(middle));
      const sky = new THREE.HemisphereLight(0xffffff, 0xb9b2a8, 0.5);
      sky.position.copy(vector(up));
      const sun = new THREE.DirectionalLight(0xffffff, 0.62);
      const towards = vector(eye).sub(vector(middle)).normalize();
      const side = new THREE.Vector3().crossVectors(towards, vector(up));
      sun.position.copy(vector(middle)).addScaledVector(vector(up), far).addScaledVector(side, 0.5 * far)
        .addScaledVector(towards, 0.4 * far);
      sun.target.position.copy(vector(middle));
      sun.castShadow = true;
      sun.shadow.mapSize.set(2048, 2048);
      const reach = 0.4 * far;
      Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * far,
        far: 3 * far });
      sun.shadow.normalBias = 0.002 * far;
      this.lights.add(sky, sun, sun.target);
    }

    addWalls() {
      const { walls } = this.view;
      for (const wall of [...this.walls.children]) this.remove(this.walls, wall);
      const add = (triangles, material) => {
        if (!triangles.length) return;
        const shape = new THREE.BufferGeometry();
        shape.setAttribute("position", new THREE.Float32BufferAttribute(walls.point, 3));
        shape.setIndex(triangles);
        const flat = shape.toNonIndexed();
        flat.computeVertexNormals();
        const mesh = new THREE.Mesh(flat, material);
        mesh.receiveShadow = material.opacity === 1;
        this.walls.add(mesh);
        return mesh;
      };
      add(walls.floor, new THREE.MeshStandardMaterial({ color: 0xdedcd8, roughness: 1, side: THREE.DoubleSide }));
      add(walls.clear, new THREE.MeshStandardMaterial({ color: 0x9fb2c4, roughness: 0.6, side: THREE.DoubleSide,
        transparent: true, opacity: 0.1, depthWrite: false }));
      this.moving = walls.moving.map(({ boundary, triangles }) => ({
        boundary,
        mesh: add(triangles, new THREE.MeshStandardMaterial({ color: 0x9fb2c4, roughness: 0.6, side: THREE.DoubleSide,
          transparent: true, opacity: 0.22, depthWrite: false })),
      })).filter(({ mesh }) => mesh);
      this.plain = [...this.walls.children];
      this.addCells();
      const { still, cell } = this.view.outlines;
      this.addEdges(still);
      this.cell = cell.length ? this.addEdges(cell[0]) : undefined;
    }

    /// Cells of walls, one mesh a boundary, to be coloured by what they felt.
    addCells() {
      this.cellParts = [];
      if (!this.cells) return;
      const { points, triangles, boundary } = this.cells, of = new Map();
      boundary.forEach((b, c) => (of.has(b) ? of.get(b).push(c) : of.set(b, [c])));
      for (const [b, list] of of) {
        const place = new Float32Array(9 * list.length);
        list.forEach((c, k) => {
          for (let corner = 0; corner < 3; ++corner)
            place.set(points.subarray(3 * triangles[3 * c + corner], 3 * triangles[3 * c + corner] + 3), 9 * k + 3 * corner);
        });
        const shape = new THREE.BufferGeometry();
        shape.setAttribute("position", new THREE.BufferAttribute(place, 3));
        shape.setAttribute("color", new THREE.BufferAttribute(new Float32Array(9 * list.length), 3));
        shape.computeVertexNormals();
        const mesh = new THREE.Mesh(shape, new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.9, side: THREE.DoubleSide }));
        this.walls.add(mesh);
        this.cellParts.push({ boundary: b, mesh, list });
      }
      this.showFelt(this.felt);
    }

    /// Walls in the colours of a quantity, among clear bodies; undefined: plain ones.
    showFelt(felt) {
      this.felt = this.cells ? felt : undefined;
      const shown = this.felt !== undefined;
      for (const { mesh, list } of this.cellParts) {
        const colour = mesh.geometry.attributes.color;
        if (shown) list.forEach((c, k) => {
          const rgb = this.map[Math.round(255 * this.cells.levels[felt][c])];
          for (let corner = 0; corner < 3; ++corner) rgb.toArray(colour.array, 9 * k + 3 * corner);
        });
        colour.needsUpdate = true;
      }
      for (const part of this.parts) {
        part.material.transparent = shown;
        part.material.opacity = shown ? 0.15 : 1;
        part.material.depthWrite = !shown;
        part.material.needsUpdate = true;
        part.castShadow = !shown;
      }
      if (this.frame >= 0) this.moveWalls(this.frame);
    }

    /// Lines from the first point to the second, from the third to the fourth, and so on.
    addEdges(ends) {
      const shape = new THREE.BufferGeometry();
      shape.setAttribute("position", new THREE.Float32BufferAttribute(ends, 3));
      const lines = new THREE.LineSegments(shape, new THREE.LineBasicMaterial({ color: 0x4a5560 }));
      this.walls.add(lines);
      return lines;
    }

    /// Puts the walls that move where they were in a frame.
    moveWalls(frame) {
      const felt = this.felt !== undefined;
      for (const mesh of this.plain) mesh.visible = !felt;
      for (const { mesh } of this.cellParts) mesh.visible = felt;
      for (const { boundary, mesh } of [...this.moving, ...this.cellParts]) {
        const pose = this.view.walls.motion[frame][boundary];
        if (pose) {
          const [x, y, z, ...turn] = pose;
          mesh.position.set(x, y, z);
          mesh.quaternion.set(...turn);
        }
        if (this.view.walls.removed[frame][boundary]) mesh.visible = false;
      }
      if (!this.cell) return;
      const { position } = this.cell.geometry.attributes;
      position.array.set(this.view.outlines.cell[frame]);
      position.needsUpdate = true;
      this.cell.geometry.computeBoundingSphere();
    }

    resetCamera() {
      const { eye, middle } = this.view, distance = Math.hypot(...eye.map((x, k) => x - middle[k]));
      this.camera.near = distance / 200;
      this.camera.far = distance * 50;
      this.camera.position.set(...eye);
      this.controls.target.set(...middle);
      this.fit();
      this.controls.update();
      this.turned = false;
    }

    fit() {
      const box = element("view");
      this.renderer.setSize(box.clientWidth, box.clientHeight, false);
      this.camera.aspect = box.clientWidth / box.clientHeight;
      const [width, height] = this.view.reach;  // of the run, in tangents: the picture holds both
      this.camera.fov = THREE.MathUtils.radToDeg(2 * Math.atan(Math.max(height, width / this.camera.aspect)));
      this.camera.updateProjectionMatrix();
      this.draw();
    }

    /// Puts the bodies where they were in a frame.
    show(frame) {
      const v = this.view, n = v.bodies, p = this.position, q = this.quaternion;
      const colours = this.colourFrames[this.field].subarray(frame * n, (frame + 1) * n);
      const place = new THREE.Vector3(), turn = new THREE.Quaternion(), size = new THREE.Vector3(), m = new THREE.Matrix4();
      for (let i = 0, at = 3 * n * frame, turnAt = 4 * n * frame; i < n; ++i) {
        place.set(v.low[0] + v.size[0] * p[at + i] / 65535, v.low[1] + v.size[1] * p[at + n + i] / 65535,
          v.low[2] + v.size[2] * p[at + 2 * n + i] / 65535);
        turn.set(q[turnAt + n + i], q[turnAt + 2 * n + i], q[turnAt + 3 * n + i], q[turnAt + i]);
        if (turn.lengthSq() > 0) size.fromArray(this.scale, 3 * i);
        else size.setScalar(0);  // not there at this moment
        turn.normalize();
        const { part, slot } = this.place[i];
        m.compose(place, turn, size).toArray(this.parts[part].instanceMatrix.array, 16 * slot);
        this.tables[this.field][colours[i]].toArray(this.parts[part].instanceColor.array, 3 * slot);
      }
      this.moveWalls(frame);
      for (const part of this.parts) part.instanceMatrix.needsUpdate = part.instanceColor.needsUpdate = true;
      this.frame = frame;
      element("clock").textContent = `t = ${v.times[frame].toFixed(clockDigits(v.times[v.times.length - 1]))} s`;
      element("time").value = frame;
      this.draw();
    }

    showTime(time, told = false) {
      this.time = time;
      // Beside another run, that one follows.
      if (!told && window.parent !== window) window.parent.postMessage({ scree_time: time }, "*");
      const { times } = this.view;
      let nearest = 0;
      for (let k = 1; k < times.length; ++k) if (Math.abs(times[k] - time) < Math.abs(times[nearest] - time)) nearest = k;
      if (nearest !== this.frame) this.show(nearest);
    }

    draw() { if (this.isComplete) this.renderer.render(this.scene, this.camera); }

    play(on) {
      this.playing = on;
      element("play").textContent = on ? "Pause" : "Play";
      const { times } = this.view, end = times[times.length - 1];
      if (!on || times.length < 2) return;
      if (this.frame === times.length - 1) this.time = times[0];
      let before = performance.now();
      const tick = (now) => {
        if (!this.playing) return;
        const time = this.time + (Number(element("speed").value) * (now - before)) / 1000;
        before = now;
        this.showTime(Math.min(time, end));
        if (time >= end) this.play(false);
        else requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }
  }

  function showScale(view, field) {
    element("scale-title").textContent = field.title;
    const names = element("scale-names"), ordered = !field.categories.length;
    names.replaceChildren();
    field.categories.forEach((name, k) => {
      const row = made("div", name, names), patch = made("span", undefined, row);
      patch.style.background = `rgb(${view.palette[k % view.palette.length].map((x) => Math.round(255 * x)).join(",")})`;
    });
    for (const id of ["scale-bar", "scale-low", "scale-high"]) element(id).hidden = !ordered;
    element("scale-low").textContent = digits(field.low);
    element("scale-high").textContent = digits(field.high);
    const pen = element("scale-bar").getContext("2d");
    for (let k = 0; k < 128; ++k) {
      const colour = view.map[Math.round(((127 - k) / 127) * (view.map.length - 1))];
      pen.fillStyle = `rgb(${colour.map((x) => Math.round(255 * x)).join(",")})`;
      pen.fillRect(0, k, 1, 1);
    }
  }

  function connect(view) {
    const slider = element("time"), select = element("colour");
    slider.addEventListener("input", () => { view.play(false); view.showTime(view.view.times[slider.value]); });
    element("play").addEventListener("click", () => view.play(!view.playing));
    element("reset").addEventListener("click", () => view.resetCamera());
    element("walls").addEventListener("change", (e) => { view.walls.visible = e.target.checked; view.draw(); });
    view.view.fields.forEach((field, k) => { made("option", field.title, select).value = k; });
    select.addEventListener("change", () => {
      view.field = Number(select.value);
      showScale(view.view, view.view.fields[view.field]);
      view.show(view.frame);
    });
    if (view.view.cells) {
      const felt = element("felt");
      element("felt-label").hidden = false;
      view.view.cells.felt.forEach(({ title }, k) => { made("option", title, felt).value = k; });
      felt.addEventListener("change", () => {
        const chosen = felt.value === "" ? undefined : Number(felt.value);
        view.showFelt(chosen);
        showScale(view.view, chosen === undefined ? view.view.fields[view.field] : view.view.cells.felt[chosen]);
        view.draw();
      });
    }
    window.addEventListener("message", (e) => {
      if (e.source !== window.parent || typeof e.data.scree_time !== "number") return;
      view.play(false);
      view.showTime(e.data.scree_time, true);
    });
    document.addEventListener("keydown", (e) => {
      if (e.code !== "Space" || ["BUTTON", "SELECT", "INPUT", "SUMMARY"].includes(e.target.tagName)) return;
      e.preventDefault();
      view.play(!view.playing);
    });
  }

  const nobody = (error) => {
    const message = element("view-message");
    message.style.display = "grid";
    message.textContent = `The bodies cannot be shown: this browser has no WebGL, or is too old. (${error.message})`;
    document.body.dataset.state = `no view: ${error.message}`;
  };

  /// During the run it asks once a second for new data. A view of the last moment moves on to the new one.
  async function follow(diagrams, anyColumn, view) {
    for (let { version } = first; version > 0;) {
      await new Promise((done) => { setTimeout(done, 1000); });
      const answer = await fetch(`data?have=${version}`).catch(() => null);
      if (!answer) {
        element("status").textContent = "running when last seen; the server of this page has stopped";
        return;
      }
      if (answer.status !== 200) continue;
      const next = await answer.json();
      ({ version } = next);
      fillIn(next);
      diagrams.show(next.plots);
      anyColumn.show(next.any_column);
      if (view) {
        const atEnd = view.frame === view.view.times.length - 1;
        await view.take(next.view, atEnd ? next.view.times[next.view.times.length - 1] : view.time);
      }
      document.body.dataset.version = version;
    }
  }

  async function start() {
    fillIn(first);
    if (first.version > 0) element("note").textContent = "It is served during the run; scree report makes one to keep.";
    let view = null;
    const diagrams = new Diagrams((time) => { if (view) { view.play(false); view.showTime(time); } });
    diagrams.show(first.plots);
    const anyColumn = new AnyColumn(diagrams.onTime);
    anyColumn.show(first.any_column);
    try {
      const { times } = first.view, shown = new View(first.view);
      // A still page shows the run at work rather than at its start.
      await shown.take(first.view, times[first.version ? times.length - 1 : Math.floor(times.length / 3)]);
      connect(shown);
      view = shown;
      document.body.dataset.state = "ready";
    } catch (error) {
      nobody(error);
    }
    await follow(diagrams, anyColumn, view);
  }
  start();
})();
