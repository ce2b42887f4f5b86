// The choice of the graph: a city, or the reader's table.
let seed = 1;

function receive(answer, again) {
  $("error").hidden = $("question").hidden = true;
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
  receive(kostra.read(bytes, choices), more => useTable(bytes, { ...choices, ...more }));
}

function useCity() {
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
  useCity();
  document.body.dataset.ready = "yes";
})();
