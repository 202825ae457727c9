"""Functions, lambdas and classes, lowered."""

from __future__ import annotations

TEXT = """
@decorate(1)
class Base(data.Dataset, metaclass=Meta()):  # a: b
    size: int = 3
    name: str
    total = size

    def __init__(self, root, /, a=f(), *args: int, k: "K" = 1, **rest):
        def inner():
            return lambda z: z
        class Local:
            def method(self): pass

    @property
    def x(self): ...

    @x.setter
    def x(self, value): ...

    if flag:
        def late(self): ...
"""


def test_scopes_are_nested(module) -> None:
    scopes = module(TEXT).scopes
    outline = {
        scope.qualified_name: (
            scope.kind,
            scope.parent.qualified_name if scope.parent else None,
            scope.owner.name if scope.owner else None,
        )
        for scope in scopes
    }
    local = "Base.__init__.<locals>.Local"
    assert outline == {
        "<module>": ("module", None, None),
        "Base": ("class", "<module>", "Base"),
        "Base.__init__": ("function", "<module>", "Base"),
        "Base.__init__.<locals>.inner": ("function", "Base.__init__", None),
        "Base.__init__.<locals>.inner.<locals>.<lambda>": (
            "lambda",
            "Base.__init__.<locals>.inner",
            None,
        ),
        local: ("class", "Base.__init__", "Local"),
        f"{local}.method": ("function", "Base.__init__", "Local"),
        "Base.x": ("function", "<module>", "Base"),
        "Base.late": ("function", "<module>", "Base"),
    }


def test_class(module, show) -> None:
    index = module(TEXT)
    cls = index.classes[0]
    text = "\n" + TEXT.strip("\n")
    assert text[slice(*cls.header)] == "class Base(data.Dataset, metaclass=Meta()):"
    assert text[slice(*cls.span)].startswith("@decorate(1)\nclass Base")
    assert [show(base) for base in cls.bases] == ["?data.Dataset"]
    assert [show(decorator) for decorator in cls.decorators] == ["?decorate(1)"]
    assert [*cls.methods] == ["__init__", "x", "late"]
    assert cls.methods["x"].parameters[1:] == ()
    fields = [(field.name, show(field.default), show(field.annotation)) for field in cls.fields]
    assert fields == [("size", "3", "?int"), ("name", "", "?str")]
    assert show(cls.body.final["total"]) == "3"


def test_the_last_method_of_a_name_counts(module) -> None:
    index = module("class C:\n    def f(self): pass\n    def f(self, x): pass\n")
    assert len(index.classes[0].methods["f"].parameters) == 2


def test_parameters(module, show) -> None:
    function = next(scope for scope in module(TEXT).scopes if scope.name == "__init__")
    specs = [
        (spec.name, spec.kind, show(spec.default), show(spec.annotation))
        for spec in function.parameters
    ]
    assert specs == [
        ("self", "positional", "", ""),
        ("root", "positional", "", ""),
        ("a", "either", "?f()", ""),
        ("args", "star", "", "?int"),
        ("k", "keyword", "1", "'K'"),
        ("rest", "starstar", "", ""),
    ]
    assert [definition.name for definition in function.definitions][:2] == ["self", "root"]


def test_headers_belong_to_the_scope_around(module) -> None:
    index = module(TEXT)
    assert [call.name for call in index.body.calls] == ["decorate", "Meta"]
    assert [call.name for call in index.scopes[1].calls] == ["f"]


def test_defaults_read_the_scope_around(module, show) -> None:
    index = module("x = 1\ndef f(x=x): return x\nx = 2\ng = lambda y=x: y\n")
    assert show(index.scopes[1].parameters[0].default) == "1"
    assert show(index.scopes[2].parameters[0].default) == "2"
    assert show(index.scopes[2].returns[0]) == "<y>"


def test_class_header_with_type_parameters(module) -> None:
    text = "@a  # class\nclass C[T: int]: pass"
    assert text[slice(*module(text).classes[0].header)] == "class C[T: int]:"


def test_starred_bases(module, show) -> None:
    cls = module("class C(A, *bases): pass").classes[0]
    assert [show(base) for base in cls.bases] == ["?A", "*?bases"]


def test_a_module_is_its_first_scope(module) -> None:
    text = "x = 1\n"
    index = module(text)
    assert index.scopes[0] is index.body
    assert (index.body.span, index.path) == ((0, len(text)), "/project/module.py")
    assert index.body.module is index
