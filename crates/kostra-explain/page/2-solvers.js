// The three drawings of solvers, and the player that steps through them.
const IDEAS = {
  "kruskal": "Takes the edges from light to heavy. Keeps an edge if it joins two components.",
  "prim-binary": "Grows one tree. Always adds the lightest edge that leaves the tree.",
  "boruvka": "Works in rounds. In each round every component chooses its lightest edge.",
};
const NAMES = { "kruskal": "Kruskal", "prim-binary": "Prim", "boruvka": "Borůvka" };
const LONGEST_PLAY = 12000; // milliseconds from the first step to the last
const MOST_TAGS = 14; // a longer cycle has weights only at the edges that matter
const MOST_NAMES = 24; // names of more vertices would cover each other
const HINT = "Choose a rejected edge in one of the drawings: click on a dashed line, or press ↓ in a drawing. " +
  "The page shows the cycle that excludes it.";

let scene = null, panels = [], step = 0, timer = 0, asked = null;

// The number of decisions of a solver before each step: a step ends when an edge is kept, and the
// last step has the rejections after it.
function stepEnds(decisions) {
  const ends = [0];
  decisions.forEach(([, kept], index) => { if (kept) ends.push(index + 1); });
  ends[ends.length - 1] = decisions.length;
  return ends;
}

function path(points) {
  return points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// The land, the river and the streets below the edges.
function drawGround(svg, drawing) {
  svg.setAttribute("viewBox", `0 0 ${drawing.width} ${drawing.height}`);
  svg.replaceChildren();
  mark(svg, "rect", { class: "land", width: drawing.width, height: drawing.height });
  if (scene.river) {
    const line = path(scene.river.map(drawing.place));
    mark(svg, "path", { class: "water", d: line, "stroke-width": scene.riverWidth * drawing.scale });
  }
  mark(svg, "path", { class: "street", d: scene.edges.map(([u, v]) => path([u, v].map(at => drawing.places[at]))).join("") });
}

function drawEdges(svg, drawing) {
  drawGround(svg, drawing);
  const at = drawing.places;
  const lines = scene.edges.map(([u, v]) =>
    mark(svg, "line", { x1: at[u][0], y1: at[u][1], x2: at[v][0], y2: at[v][1], class: "e" }));
  const radius = Math.max(1.1, Math.min(4, 30 / Math.sqrt(at.length)));
  const dots = at.map(([x, y]) => mark(svg, "circle", { cx: x, cy: y, r: radius, class: "v" }));
  if (at.length <= MOST_NAMES) at.forEach((_, vertex) => name(svg, vertex, drawing));
  const taken = at.length <= MOST_NAMES ? at.map(([x, y]) => ({ x, y: y < 30 ? y + 19 : y - 9, half: 8 })) : [];
  if (at.length <= MOST_NAMES) scene.edges.forEach((_, edge) => tag(svg, edge, at, taken));
  return { lines, dots };
}

// Writes the name of a vertex above it, or below it at the upper border.
function name(svg, vertex, { places, width }) {
  const [x, y] = places[vertex];
  const anchor = x < width / 4 ? "start" : x > width * 3 / 4 ? "end" : "middle";
  mark(svg, "text", { class: "tag name", x, y: y < 30 ? y + 19 : y - 9, style: `text-anchor: ${anchor}` }, scene.names[vertex]);
}

function showScene(found) {
  stop();
  asked = null;
  scene = found;
  scene.drawing = fit(scene.places);
  $("panels").replaceChildren();
  panels = scene.solvers.map(solver => {
    const article = document.createElement("article");
    article.className = "panel";
    article.id = `panel-${solver.id}`;
    const title = document.createElement("h3");
    const time = document.createElement("small");
    time.textContent = solver.time.replace("^2", "²");
    title.append(NAMES[solver.id], time);
    const idea = document.createElement("p");
    idea.textContent = IDEAS[solver.id];
    const svg = mark(article, "svg", { tabindex: 0, role: "group", "aria-label": `Drawing of ${NAMES[solver.id]}` });
    const now = document.createElement("p");
    now.className = "now";
    article.replaceChildren(title, idea, svg, now);
    $("panels").append(article);
    const panel = { solver, svg, now, ends: stepEnds(solver.decisions), states: [], ...drawEdges(svg, scene.drawing) };
    if (solver.id === "prim-binary") idea.append(" ", startChoice(panel));
    svg.addEventListener("click", event => choose(panel, nearest(panel, event)));
    svg.addEventListener("keydown", event => walk(panel, event));
    return panel;
  });
  $("step").max = scene.forest.length;
  ask(null);
  goTo(Math.round(scene.forest.length * 0.6));
  const isolated = scene.components > 1 ? ` in ${scene.components} components` : "";
  $("summary").textContent =
    `${plural(scene.places.length, "vertex", "vertices")}, ${plural(scene.edges.length, "edge", "edges")}${isolated}. ` +
    `The forest has ${plural(scene.forest.length, "edge", "edges")} of total weight ${shown(scene.total)}. ` +
    `Kostra’s verifier confirms it: each of the ${scene.compared.toLocaleString("en")} edges outside closes a cycle as its heaviest edge.`;
}

// The choice of the vertex at which Prim's tree starts.
function startChoice(panel) {
  const label = document.createElement("label"), select = document.createElement("select");
  select.id = "start";
  scene.names.forEach((name, vertex) => select.add(new Option(name, vertex)));
  select.addEventListener("change", () => {
    panel.solver = kostra.prim(Number(select.value));
    panel.ends = stepEnds(panel.solver.decisions);
    markStart(panel, Number(select.value));
    ask(null);
    goTo(step);
  });
  label.append("Start at ", select);
  markStart(panel, 0);
  return label;
}

function markStart(panel, start) {
  panel.dots.forEach((dot, vertex) => dot.classList.toggle("start", vertex === start));
}

// The state of every edge after some decisions, and whether the last step decided it.
function goTo(next) {
  step = Math.max(0, Math.min(next, scene.forest.length));
  for (const panel of panels) {
    const states = new Array(scene.edges.length).fill("");
    const { decisions } = panel.solver, from = panel.ends[Math.max(step - 1, 0)], to = panel.ends[step];
    for (let index = 0; index < to; index++) {
      const [edge, kept] = decisions[index];
      states[edge] = (kept ? "kept" : "rejected") + (index >= from ? " new" : "");
    }
    panel.states = states;
    const latest = decisions.slice(from, to);
    panel.now.textContent = sentence(panel, latest.find(([, kept]) => kept), latest.filter(([, kept]) => !kept).length);
  }
  paint();
  $("step").value = step;
  $("step-text").textContent = `${step} of ${scene.forest.length} edges kept`;
  $("step").setAttribute("aria-valuetext", $("step-text").textContent);
  $("first").disabled = $("back").disabled = step === 0;
  $("last").disabled = $("forward").disabled = $("round").disabled = step === scene.forest.length;
  if (asked && !asked.panel.states[asked.edge].startsWith("rejected")) ask(null);
}

function sentence(panel, kept, rejected) {
  if (step === 0 || !kept) return scene.forest.length === 0 ? "The graph has no edge to keep." : "No edge is kept yet.";
  const [u, v, weight] = scene.edges[kept[0]];
  const round = roundOf(panel, step);
  const where = round ? `Round ${round}: keeps` : "Keeps";
  const rest = rejected ? ` Rejects ${plural(rejected, "edge", "edges")} that would close a cycle.` : "";
  const end = step < scene.forest.length ? "" : panel.solver.decisions.length < scene.edges.length ?
    ` Done: looks at no further edge (${scene.edges.length - panel.solver.decisions.length} left).` : " Done.";
  return `${where} ${scene.names[u]} – ${scene.names[v]} (${shown(weight)}).${rest}${end}`;
}

function roundOf(panel, at) {
  return panel.solver.rounds.filter(start => start < panel.ends[at]).length;
}

function paint() {
  for (const panel of panels) {
    const here = asked && asked.panel === panel;
    panel.svg.classList.toggle("asking", Boolean(here));
    panel.lines.forEach((line, edge) => {
      let name = `e ${panel.states[edge]}`;
      if (here && asked.path.includes(edge)) name = edge === asked.heaviest ? "e path heaviest" : "e path";
      if (here && asked.edge === edge) name = "e asked";
      if (line.getAttribute("class") !== name.trim()) line.setAttribute("class", name.trim());
    });
  }
  drawCloseUp();
}

// The chosen edge and its cycle, enlarged, with the weights.
function drawCloseUp() {
  const svg = $("close-up"), width = 300, height = 210, margin = 44;
  const hidden = !asked || asked.heaviest === null;
  svg.replaceChildren();
  svg.style.display = hidden ? "none" : "";
  if (hidden) return;
  const cycle = [asked.edge, ...asked.path], ends = cycle.flatMap(edge => scene.edges[edge].slice(0, 2));
  const [left, right, top, bottom] = bounds(ends.map(vertex => scene.drawing.places[vertex]));
  const scale = Math.min((width - 2 * margin) / Math.max(right - left, 1), (height - 2 * margin) / Math.max(bottom - top, 1));
  const grow = ([x, y]) => [(x - (left + right) / 2) * scale + width / 2, (y - (top + bottom) / 2) * scale + height / 2];
  const drawing = {
    places: scene.drawing.places.map(grow), place: at => grow(scene.drawing.place(at)),
    scale: scale * scene.drawing.scale, width, height,
  };
  drawGround(svg, drawing);
  const line = (edge, name) => {
    const [[x1, y1], [x2, y2]] = scene.edges[edge].slice(0, 2).map(vertex => drawing.places[vertex]);
    mark(svg, "line", { x1, y1, x2, y2, class: name });
  };
  scene.edges.forEach((_, edge) => { if (!cycle.includes(edge)) line(edge, `e ${asked.panel.states[edge]}`); });
  asked.path.forEach(edge => line(edge, edge === asked.heaviest ? "e path heaviest" : "e path"));
  line(asked.edge, "e asked");
  const r = Math.max(1.8, Math.min(3.6, 1.6 * scale));
  drawing.places.forEach(([cx, cy]) => mark(svg, "circle", { cx, cy, r, class: "v" }));
  const others = asked.path.filter(edge => edge !== asked.heaviest && cycle.length <= MOST_TAGS), taken = [];
  [asked.edge, asked.heaviest, ...others].forEach(edge => tag(svg, edge, drawing.places, taken));
}

// Writes the weight of an edge beside its middle, away from the middle of the drawing, unless it
// would cover a weight that is written already.
function tag(svg, edge, at, taken) {
  const [u, v, weight] = scene.edges[edge], [dx, dy] = [at[v][0] - at[u][0], at[v][1] - at[u][1]];
  const middle = [(at[u][0] + at[v][0]) / 2, (at[u][1] + at[v][1]) / 2], length = Math.hypot(dx, dy) || 1;
  const normal = [-dy / length, dx / length], { width, height } = svg.viewBox.baseVal;
  const side = (middle[0] - width / 2) * normal[0] + (middle[1] - height / 2) * normal[1] < 0 ? -1 : 1;
  const [x, y] = [middle[0] + side * normal[0] * 25, middle[1] + side * normal[1] * 14 + 4];
  const text = shown(weight), half = 4 * text.length;
  if (taken.some(other => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 15)) return;
  taken.push({ x, y, half });
  mark(svg, "text", { class: asked && edge === asked.edge ? "tag asked" : "tag", x, y }, text);
}

// The edge under the pointer: the nearest within a finger's width.
function nearest(panel, event) {
  const box = panel.svg.getBoundingClientRect(), scale = scene.drawing.width / box.width;
  const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  let best = null, least = 16 * scale;
  scene.edges.forEach(([u, v], edge) => {
    const [[ax, ay], [bx, by]] = [scene.drawing.places[u], scene.drawing.places[v]];
    const square = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / square));
    const distance = Math.hypot(ax + share * (bx - ax) - x, ay + share * (by - ay) - y);
    if (distance < least) [best, least] = [edge, distance];
  });
  return best;
}

function choose(panel, edge) {
  if (edge === null) return ask(null);
  const state = panel.states[edge], [u, v, weight] = scene.edges[edge];
  if (state === "") {
    return ask(null, `Edge ${scene.names[u]} – ${scene.names[v]} (weight ${shown(weight)}): ` +
      `${NAMES[panel.solver.id]} has not decided it at this step.`);
  }
  const answer = kostra.explain(edge);
  if (answer.error) return ask(null, answer.error);
  if (state.startsWith("kept")) return ask(null, answer.edge.sentence);
  ask({ panel, edge, ...answer.edge });
}

// Shows why an edge is excluded, or a text.
function ask(next, text) {
  asked = next;
  $("why-text").textContent = next ? next.sentence : text || HINT;
  $("why-legend").hidden = !next || next.heaviest === null;
  paint();
}

// Goes through the rejected edges by the arrow keys up and down.
function walk(panel, event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const rejected = scene.edges.map((_, edge) => edge).filter(edge => panel.states[edge].startsWith("rejected"));
  if (rejected.length === 0) return ask(null, `${NAMES[panel.solver.id]} has rejected no edge at this step.`);
  const at = asked && asked.panel === panel ? rejected.indexOf(asked.edge) : event.key === "ArrowDown" ? -1 : 0;
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  choose(panel, rejected[(next + rejected.length) % rejected.length]);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  $("play").textContent = "Play";
}

function play() {
  if (timer) return stop();
  if (step === scene.forest.length) goTo(0);
  $("play").textContent = "Pause";
  timer = setInterval(() => {
    goTo(step + 1);
    if (step === scene.forest.length) stop();
  }, Math.min(350, LONGEST_PLAY / Math.max(scene.forest.length, 1)));
}

// The last step of the round in which Borůvka's next step is.
function endOfRound() {
  const panel = panels.find(panel => panel.solver.rounds.length > 0);
  if (!panel) return scene.forest.length;
  let next = step + 1;
  while (next < scene.forest.length && roundOf(panel, next + 1) === roundOf(panel, step + 1)) next++;
  return next;
}

function move(next) {
  stop();
  goTo(next);
}

function listenToPlayer() {
  const actions = {
    first: () => move(0), back: () => move(step - 1), play, forward: () => move(step + 1),
    round: () => move(endOfRound()), last: () => move(scene.forest.length),
  };
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", action);
  $("step").addEventListener("input", () => move(Number($("step").value)));
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", p: "play", r: "round" };
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") return ask(null);
    const typing = event.target.closest("input, textarea, select");
    const action = actions[keys[event.key]];
    if (typing || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
}
