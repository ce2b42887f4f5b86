// The choice of the graph: a city, or the reader's table.
let seed = 1;
let source = null; // what a link holds: a city, or a table with the answers to its questions
const LONGEST_LINK = 8000; // characters that mail programs and chats leave whole

function receive(answer, again) {
  $("error").hidden = $("question").hidden = true;
  $("link-text").textContent = "";
  if (answer.error) {
    $("error").textContent = `${answer.error[0].toUpperCase()}${answer.error.slice(1)}.`;
    $("error").hidden = false;
  } else if (answer.question) {
    putQuestion(answer, again);
  } else {
    showScene(answer.scene);
    showClusters();
    return;
  }
  $("graph-title").scrollIntoView();
}

function putQuestion({ question, key, answers }, again) {
  const text = document.createElement("p"), bar = document.createElement("div");
  text.textContent = question;
  bar.className = "bar";
  for (const [value, label] of answers) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => again({ [key]: value }));
    bar.append(button);
  }
  $("question").replaceChildren(text, bar);
  $("question").hidden = false;
  bar.firstChild.focus({ preventScroll: true });
}

function useTable(bytes, choices = {}) {
  source = { table: new TextDecoder().decode(bytes), choices };
  const answer = kostra.read(bytes, choices);
  receive(answer, more => useTable(bytes, { ...choices, ...more }));
  if (answer.scene) $("steps").scrollIntoView();
}

// Puts the graph into the address, unless the address would be too long.
function link() {
  const text = encodeURIComponent(JSON.stringify(source));
  if (text.length > LONGEST_LINK) {
    receive({ error: `the graph takes ${text.length.toLocaleString("en")} characters, and a link ` +
      `${LONGEST_LINK.toLocaleString("en")} at most; send the file instead` });
    return;
  }
  $("error").hidden = true;
  history.replaceState(null, "", `#${text}`);
  $("link-text").textContent = "The address of this page now holds the graph.";
}

// The graph in the address, or a city.
function useAddress() {
  const text = location.hash.slice(1);
  if (!text) return useCity();
  let held = null;
  try {
    if (text.length <= LONGEST_LINK) held = JSON.parse(decodeURIComponent(text));
  } catch { /* not a link of this page */ }
  if (typeof held?.table === "string") {
    const choices = Object.entries(held.choices || {}).map(([key, choice]) => [key, String(choice)]);
    useTable(new TextEncoder().encode(held.table), Object.fromEntries(choices));
  } else if ([...$("size").options].some(({ value }) => value === String(held?.city)) && Number.isInteger(held.seed)) {
    $("size").value = held.city;
    seed = held.seed;
    useCity();
  } else {
    useCity();
    receive({ error: "the address holds no graph of this page" });
  }
}

function useCity() {
  source = { city: Number($("size").value), seed };
  receive(kostra.city(Number($("size").value), seed));
  $("summary").textContent += " Weights are lengths in meters.";
}

async function useFile(file) {
  if (file) useTable(new Uint8Array(await file.arrayBuffer()));
}

function listenToTables() {
  $("size").addEventListener("change", useCity);
  $("another").addEventListener("click", () => { seed++; useCity(); });
  $("file").addEventListener("change", async () => { await useFile($("file").files[0]); $("file").value = ""; });
  $("link").addEventListener("click", link);
  $("use").addEventListener("click", () => useTable(new TextEncoder().encode($("text").value)));
  document.addEventListener("dragover", event => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", event => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", event => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    useFile(event.dataTransfer.files[0]);
  });
}

(async () => {
  try {
    await kostra.start();
  } catch (error) {
    receive({ error: "this browser cannot run WebAssembly, which this page needs" });
    return;
  }
  listenToPlayer();
  listenToThreshold();
  listenToTables();
  useAddress();
  document.body.dataset.ready = "yes";
})();
