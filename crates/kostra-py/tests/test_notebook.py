"""The notebook runs."""

import pathlib

import nbclient
import nbformat

NOTEBOOK = pathlib.Path(__file__).resolve().parents[3] / "docs/python.ipynb"


def test_the_notebook_runs_from_top_to_bottom():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "committed without outputs"
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": NOTEBOOK.parent}}
    ).execute()
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 5
