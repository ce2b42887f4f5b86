// The map and the dendrogram, which one threshold colors together.
const HUES = [250, 35, 150, 320, 85, 195, 10, 285, 120, 55];
const FRAME = { width: 400, left: 40, right: 10, top: 14, bottom: 14 };
let hierarchy = null, threshold = 0;

// Every cluster of the hierarchy: vertices first, then one per merge. A merge passes on the color
// of its larger part, so that colors stay while the threshold moves.
function showClusters() {
  const n = scene.places.length, count = n + scene.merges.length;
  const parent = new Array(count).fill(-1), size = new Array(count).fill(1);
  const bearer = Array.from({ length: count }, (_, node) => node), lifetime = new Array(n).fill(1);
  scene.merges.forEach(([, a, b, members], index) => {
    const node = n + index, [larger] = size[b] > size[a] ? [b] : [a];
    parent[a] = parent[b] = node;
    size[node] = members;
    bearer[node] = bearer[larger];
    lifetime[bearer[node]] = members;
  });
  const ranked = Array.from({ length: n }, (_, vertex) => vertex).sort((a, b) => lifetime[b] - lifetime[a]);
  const hue = new Array(n);
  ranked.forEach((vertex, rank) => { hue[vertex] = HUES[rank % HUES.length]; });
  const heaviest = scene.merges.length ? scene.edges[scene.merges[scene.merges.length - 1][0]][2] : 1;
  const lightest = scene.merges.length ? Math.min(0, scene.edges[scene.merges[0][0]][2]) : 0;
  hierarchy = { n, parent, size, bearer, hue, low: lightest, high: lightest + ((heaviest - lightest) || Math.max(1, Math.abs(lightest))) * 1.06 };
  Object.assign(hierarchy, { map: drawEdges($("map"), scene.drawing) });
  hierarchy.map.lines.forEach((line, edge) => { line.dataset.kept = scene.forest.includes(edge); });
  drawDendrogram();
  setThreshold(usefulThreshold());
}

// A threshold that shows something: the highest with the most clusters of a twentieth of all
// vertices.
function usefulThreshold() {
  const { n, size } = hierarchy, least = Math.max(2, n / 20);
  const weight = index => index < scene.merges.length ? scene.edges[scene.merges[index][0]][2] : hierarchy.high;
  let best = (hierarchy.low + hierarchy.high) / 2, most = 0, large = 0;
  scene.merges.forEach(([, a, b], index) => {
    large += (size[n + index] >= least) - (size[a] >= least) - (size[b] >= least);
    if (large >= most && weight(index) < weight(index + 1)) [best, most] = [(weight(index) + weight(index + 1)) / 2, large];
  });
  return best;
}

function height(weight) {
  const { low, high } = hierarchy, { top, bottom } = FRAME;
  return hierarchy.height - bottom - (weight - low) / (high - low) * (hierarchy.height - top - bottom);
}

function weightAt(y) {
  const { low, high } = hierarchy, { top, bottom } = FRAME;
  return low + (hierarchy.height - bottom - y) / (hierarchy.height - top - bottom) * (high - low);
}

// The order of the leaves in which no two bars cross.
function leaves() {
  const children = new Map(scene.merges.map(([, a, b], index) => [hierarchy.n + index, [a, b]]));
  const order = [], roots = hierarchy.parent.flatMap((up, node) => up < 0 ? [node] : []);
  const open = roots.reverse();
  while (open.length) {
    const node = open.pop(), below = children.get(node);
    if (below) open.push(below[1], below[0]);
    else order.push(node);
  }
  return order;
}

function drawDendrogram() {
  const svg = $("dendrogram"), { width, left, right } = FRAME;
  hierarchy.height = scene.drawing.height;
  svg.setAttribute("viewBox", `0 0 ${width} ${hierarchy.height}`);
  svg.replaceChildren();
  drawAxis(svg);
  const x = [], y = [], order = leaves(), gap = (width - left - right) / Math.max(order.length, 1);
  order.forEach((vertex, index) => { x[vertex] = left + (index + 0.5) * gap; y[vertex] = height(hierarchy.low); });
  hierarchy.bars = [];
  svg.style.setProperty("--bar", Math.max(0.6, Math.min(1.8, gap * 0.5)));
  scene.merges.forEach(([edge, a, b], index) => {
    const node = hierarchy.n + index, up = height(scene.edges[edge][2]);
    for (const child of [a, b]) {
      const bar = mark(svg, "path", { class: "d", d: `M${x[child]} ${y[child]}V${up}` });
      hierarchy.bars.push({ bar, node: child });
    }
    hierarchy.bars.push({ bar: mark(svg, "path", { class: "d", d: `M${x[a]} ${up}H${x[b]}` }), node });
    x[node] = (x[a] + x[b]) / 2;
    y[node] = up;
  });
  hierarchy.line = mark(svg, "line", { class: "cut", x1: left, x2: width });
  hierarchy.handle = mark(svg, "circle", { class: "handle", r: 6, cx: left });
}

function drawAxis(svg) {
  const { low, high } = hierarchy, raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].map(factor => factor * power).find(unit => unit >= raw);
  // At most six marks. A loop that adds up could hang, where a unit is less than a rounding error.
  for (let index = 0; index <= 5; index++) {
    const at = (Math.ceil(low / unit) + index) * unit;
    if (!(at <= high)) break;
    mark(svg, "line", { class: "grid", x1: FRAME.left, x2: FRAME.width, y1: height(at), y2: height(at) });
    mark(svg, "text", { class: "axis", x: FRAME.left - 9, y: height(at) + 4, "text-anchor": "end" }, shown(at));
  }
}

// The color of a cluster by the cluster's node; single vertices have none.
function color(node) {
  if (hierarchy.size[node] < 2) return "var(--idle)";
  return `hsl(${hierarchy.hue[hierarchy.bearer[node]]} var(--strong) var(--light))`;
}

function setThreshold(next) {
  const { n, parent, low, high } = hierarchy;
  threshold = Math.max(low, Math.min(next, high));
  const { count, merges, labels } = kostra.clusters(threshold);
  // The node of the cluster in which each node is at this threshold.
  const top = parent.map((_, node) => node);
  for (let node = n + merges - 1; node >= 0; node--) {
    if (parent[node] >= 0 && parent[node] < n + merges) top[node] = top[parent[node]];
  }
  scene.edges.forEach(([u, v], edge) => {
    const line = hierarchy.map.lines[edge], inside = line.dataset.kept === "true" && labels[u] === labels[v];
    line.style.stroke = inside ? color(top[u]) : "";
    line.style.strokeWidth = inside ? "3.2" : "";
    line.style.opacity = inside ? "" : "0.55";
  });
  hierarchy.map.dots.forEach((dot, vertex) => {
    dot.style.fill = color(top[vertex]);
    dot.dataset.cluster = labels[vertex];
  });
  hierarchy.bars.forEach(({ bar, node }) => {
    const joined = node < n + merges;
    bar.style.stroke = joined ? color(top[node]) : "var(--idle)";
    bar.dataset.cluster = joined ? top[node] : "";
  });
  const y = height(threshold);
  hierarchy.line.setAttribute("y1", y);
  hierarchy.line.setAttribute("y2", y);
  hierarchy.handle.setAttribute("cy", y);
  $("threshold").value = Math.round((threshold - low) / (high - low) * 1000);
  $("threshold-text").textContent = `${shown(threshold)} · ${plural(count, "cluster", "clusters")}`;
  $("threshold").setAttribute("aria-valuetext", $("threshold-text").textContent);
}

function listenToThreshold() {
  $("threshold").addEventListener("input", () => {
    setThreshold(hierarchy.low + $("threshold").value / 1000 * (hierarchy.high - hierarchy.low));
  });
  const svg = $("dendrogram");
  const drag = event => {
    const box = svg.getBoundingClientRect();
    setThreshold(weightAt((event.clientY - box.top) * hierarchy.height / box.height));
  };
  svg.addEventListener("pointerdown", event => {
    svg.setPointerCapture(event.pointerId);
    drag(event);
  });
  svg.addEventListener("pointermove", event => { if (svg.hasPointerCapture(event.pointerId)) drag(event); });
}
