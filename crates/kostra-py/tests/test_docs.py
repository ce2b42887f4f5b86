"""What the documentation shows is so."""

import ast
import doctest
import importlib
import inspect
import pathlib
import re

import pytest

import kostra

MODULES = [
    "kostra",
    "kostra._branches",
    "kostra._exports",
    "kostra._forest",
    "kostra._graph",
    "kostra._grid",
    "kostra._hdbscan",
    "kostra._lines",
    "kostra._partition",
    "kostra._points",
    "kostra._prediction",
    "kostra._solve",
    "kostra._sources",
    "kostra._trace",
    "kostra._tree",
    "kostra._validity",
    "kostra._verify",
    "kostra.cluster",
    "kostra.distributed",
    "kostra.duckdb",
    "kostra.pandas",
    "kostra.polars",
    "kostra.scipy",
]
ROOT = pathlib.Path(__file__).resolve().parents[3]
README = ROOT / "README.md"
GUIDE = sorted(
    path for path in (ROOT / "docs/guide").glob("*.md") if "```pycon\n" in path.read_text()
)

PROGRAMS = sorted(
    path for path in (ROOT / "docs/guide").glob("*.md") if "```python\n" in path.read_text()
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    results = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert results.attempted > 0 and results.failed == 0


def test_the_readmes_example_runs(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    printed = [line.split("# ", 1)[1] for line in example.splitlines() if line.startswith("print")]
    assert capsys.readouterr().out.splitlines() == printed


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_the_guides_examples_run(page, tmp_path, monkeypatch):
    """Blocks ``LANGUAGE NAME`` are files, and blocks ``pycon`` are one session."""
    monkeypatch.chdir(tmp_path)
    session = ""
    for info, text in re.findall(
        r"^```([^\n]+)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE
    ):
        if info == "pycon":
            session += text + "\n"
        elif " " in info:
            pathlib.Path(info.split()[1]).write_text(text)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.stem)
def test_the_guides_programs_run(page, tmp_path, monkeypatch):
    """Blocks ``python`` are one program. Those of GPU arrays need CuPy and a device."""
    if page.stem == "gpu-arrays":
        cupy = pytest.importorskip("cupy")
        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            pytest.skip(str(error))
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    exec("".join(blocks), {})


def signatures(tree):
    """The parameters of every function of a stub, by qualified name."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}": value for name, value in signatures(node).items()}
        elif isinstance(node, ast.FunctionDef):
            of = node.args
            defaults = [None] * (len(of.args) - len(of.defaults)) + of.defaults
            named = list(zip(of.args, defaults)) + list(zip(of.kwonlyargs, of.kw_defaults))
            if of.kwarg:
                named.append((of.kwarg, None))
            found[node.name] = [
                (name.arg, default and ast.unparse(default)) for name, default in named
            ]
    return found


@pytest.mark.parametrize("module", ["kostra", "kostra.cluster", "kostra.scipy"])
def test_stubs_say_what_is_there(module):
    module = importlib.import_module(module)
    tree = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    assert all(
        ast.literal_eval(node.value) == module.__all__
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    stub = signatures(tree)
    missing = (
        set(module.__all__) - {name.split(".")[0] for name in stub} - {"__version__", "DeviceError", "SamplesError"}
    )
    assert not missing
    for name, parameters in stub.items():
        if name.startswith("_"):
            continue  # a protocol, which is there for type checkers only
        item = module
        for part in name.split("."):
            item = getattr(item, part)
        if isinstance(item, property) or inspect.isbuiltin(item):
            continue
        actual = inspect.signature(getattr(item, "__func__", item)).parameters.values()
        default = lambda parameter: (
            None if parameter.default is parameter.empty else repr(parameter.default)
        )
        assert [(parameter.name, default(parameter)) for parameter in actual] == [
            (parameter, value and repr(ast.literal_eval(value))) for parameter, value in parameters
        ], name
    for kind in (
        (kostra.Forest, kostra.Graph, kostra.Partition, kostra.DeviceArray, kostra.DeviceForest)
        if module is kostra
        else ()
    ):
        items = [item for base in kind.__mro__[:-1] for item in vars(base).items()]
        attributes = {name for name, item in items if inspect.ismemberdescriptor(item)}
        public = {name for name, _ in items if not name.startswith("_")} - attributes
        methods = {name.split(".")[1] for name in stub if name.startswith(f"{kind.__name__}.")}
        assert public == {name for name in methods if not name.startswith("_")}


def documented():
    """The public functions, classes and methods that have parameters, with their docstrings."""
    found = {}
    for name in ("kostra", "kostra.cluster", "kostra.hdbscan", "kostra.scipy"):
        module = importlib.import_module(name)
        for name in module.__all__:
            item = getattr(module, name)
            if getattr(item, "__module__", "") == "kostra.hdbscan":
                name = f"hdbscan.{name}"
            if inspect.isclass(item):
                for method, function in inspect.getmembers(item, callable):
                    is_ours = (getattr(function, "__module__", None) or "").startswith("kostra")
                    if is_ours and not method.startswith("_"):
                        found[f"{name}.{method}"] = function
            if item in (kostra.Graph, kostra.DeviceArray) or module.__name__ in (
                "kostra.cluster",
                "kostra.hdbscan",
            ):
                found[name] = item
            elif inspect.isfunction(item):
                found[name] = item
    return found


def parameters_of(docstring):
    """The names in the section "Parameters" of a docstring."""
    found = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n---|\Z)", docstring, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"^(\S.*)$", found[1], re.MULTILINE) if found else []
    return [name.strip(" *") for entry in entries for name in entry.split(" :")[0].split(",")]


@pytest.mark.parametrize("name, item", documented().items())
def test_docstrings_list_all_parameters(name, item):
    actual = [parameter for parameter in inspect.signature(item).parameters if parameter != "self"]
    assert sorted(parameters_of(inspect.getdoc(item))) == sorted(actual)
