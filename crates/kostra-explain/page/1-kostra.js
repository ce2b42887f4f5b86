// The WebAssembly module: requests are texts, and answers are JSON.
const kostra = (() => {
  const bytes = Uint8Array.from(atob(document.getElementById("module").textContent.trim()), c => c.charCodeAt(0));
  let module = null;
  const answer = length => {
    const text = new Uint8Array(module.memory.buffer, module.kostra_answer(), length);
    return JSON.parse(new TextDecoder().decode(text));
  };
  return {
    async start() {
      module = (await WebAssembly.instantiate(bytes, {})).instance.exports;
    },
    city: (vertices, seed) => answer(module.kostra_city(vertices, seed)),
    clusters: threshold => answer(module.kostra_clusters(threshold)).clusters,
    prim: start => answer(module.kostra_prim(start)).steps,
    explain: edge => answer(module.kostra_explain(edge)),
    // The bytes of a table, with the answers to the questions that it left open.
    read(table, choices) {
      const lines = Object.entries(choices).map(([key, value]) => `${key}=${value}\n`).join("");
      const head = new TextEncoder().encode(lines);
      const place = module.kostra_request(head.length + table.length);
      const request = new Uint8Array(module.memory.buffer, place, head.length + table.length);
      request.set(head);
      request.set(table, head.length);
      return answer(module.kostra_read(head.length));
    },
  };
})();

const $ = id => document.getElementById(id);

// Makes an SVG element with attributes.
function mark(parent, name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function shown(weight) {
  const size = Math.abs(weight);
  if (size >= 1e12 || (size > 0 && size < 1e-6)) return weight.toExponential(3);
  return Number(weight.toPrecision(5)).toLocaleString("en", { maximumSignificantDigits: 5 });
}

function plural(count, one, many) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

// The places of the vertices in a drawing of 400 units' width, with the height that fits, and the
// function that brings any place into the drawing.
function fit(places) {
  const margin = 16, width = 400;
  if (places.length === 0) return { places: [], place: at => at, scale: 1, width, height: 200 };
  const [left, right, top, bottom] = bounds(places);
  const span = Math.max(right - left, (bottom - top) * 1.2, 1e-12);
  const scale = (width - 2 * margin) / span;
  const height = Math.max((bottom - top) * scale + 2 * margin, 160);
  const shift = [(width - (right - left) * scale) / 2, (height - (bottom - top) * scale) / 2];
  const place = ([x, y]) => [(x - left) * scale + shift[0], (y - top) * scale + shift[1]];
  return { places: places.map(place), place, scale, width, height };
}

// The lowest and the highest coordinates: left, right, top, bottom.
function bounds(places) {
  return [0, 1].flatMap(axis => [
    places.reduce((least, place) => Math.min(least, place[axis]), Infinity),
    places.reduce((most, place) => Math.max(most, place[axis]), -Infinity),
  ]);
}
