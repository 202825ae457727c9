"""What the rewritings write and refuse: the programs of their unit tests."""

from __future__ import annotations

WRITES = [
    (
        "import-aliases",
        """
        import torch
        from torch.utils.data import DataLoader
        def make(data): return torch.tensor(DataLoader(data))
        """,
        """
        import torch as alfa
        from torch.utils.data import DataLoader as bravo
        def make(data): return alfa.tensor(bravo(data))
        """,
    ),
    (
        "module-attributes",
        """
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset): pass
        def make(data): return DataLoader(data)
        """,
        """
        import torch.utils.data as alfa
        class Rows(alfa.Dataset): pass
        def make(data): return alfa.DataLoader(data)
        """,
    ),
    (
        "from-imports",
        """
        import torch
        def make(data): return torch.utils.data.DataLoader(data, torch.get_num_threads())
        """,
        """
        import torch
        from torch.utils.data import DataLoader as alfa
        from torch import get_num_threads as bravo
        def make(data): return alfa(data, bravo())
        """,
    ),
    (
        "keywords-to-positions",
        """
        from torch.utils.data import DataLoader
        def make(data): return DataLoader(data, shuffle=True, batch_size=8, pin_memory=True)
        """,
        """
        from torch.utils.data import DataLoader
        def make(data): return DataLoader(data, 8, True, pin_memory=True)
        """,
    ),
    (
        "positions-to-keywords",
        """
        from torch.utils.data import DataLoader
        def use(data, size): return DataLoader(data, size)
        use(rows(), 3)
        """,
        """
        from torch.utils.data import DataLoader
        def use(data, size): return DataLoader(dataset=data, batch_size=size)
        use(data=rows(), size=3)
        """,
    ),
    ("keyword-order", "f(1, a=2, b=g(), c=3)\n", "f(1, c=3, b=g(), a=2)\n"),
    (
        "options-in-dict",
        """
        from torch.utils.data import DataLoader
        DataLoader(data, batch_size=8)
        """,
        """
        from torch.utils.data import DataLoader
        DataLoader(data, **{"batch_size": 8})
        """,
    ),
    (
        "copies-by-position",
        """
        x.to(device, non_blocking=True)
        x.cuda(non_blocking=True)
        x.to(y, non_blocking=True)
        """,
        """
        x.to(device, None, True)
        x.cuda(None, True)
        x.to(y, non_blocking=True)
        """,
    ),
    (
        "local-names",
        """
        def f(a):
            b = 1
            return [b + c for c in a]
        """,
        """
        def f(a):
            alfa = 1
            return [alfa + bravo for bravo in a]
        """,
    ),
    (
        "parameter-names",
        """
        def f(rows, n):
            return g(rows, n=n)
        f(1, n=3)
        """,
        """
        def f(alfa, n):
            return g(alfa, n=n)
        f(1, n=3)
        """,
    ),
    (
        "global-names",
        """
        rows = 3
        def f(): return rows
        """,
        """
        alfa = 3
        def f(): return alfa
        """,
    ),
    ("function-names", "def f(): pass\nf()\n", "def alfa(): pass\nalfa()\n"),
    ("class-names", "class F: pass\nF()\n", "class Alfa: pass\nAlfa()\n"),
    (
        "member-names",
        """
        class F:
            def __init__(self, rows):
                self.kept_rows = rows
            def read_one(self):
                return self.kept_rows
        def use(f): return f.read_one()
        """,
        """
        class F:
            def __init__(self, rows):
                self.bravo = rows
            def alfa(self):
                return self.bravo
        def use(f): return f.alfa()
        """,
    ),
    (
        "named-arguments",
        """
        def f(a):
            x = g(a, h(1), k())
        """,
        """
        def f(a):
            alfa = h(1)
            x = g(a, alfa, k())
        """,
    ),
    (
        "named-options",
        """
        def f(a):
            x = g(h(), size=8)
        """,
        """
        def f(a):
            alfa = 8
            x = g(h(), size=alfa)
        """,
    ),
    (
        "named-iterables",
        """
        def f(a):
            for x in g(a):
                pass
        """,
        """
        def f(a):
            alfa = g(a)
            for x in alfa:
                pass
        """,
    ),
    (
        "inlined-names",
        """
        def f(a):
            rows = g(a)
            return h(rows, 3)
        """,
        """
        def f(a):
            return h(g(a), 3)
        """,
    ),
    (
        "in-main",
        """
        import m

        n = 3
        for x in m.f(n):
            m.g(x)
        """,
        """
        import m


        def main():
            n = 3
            for x in m.f(n):
                m.g(x)


        main()
        """,
    ),
    (
        "under-guard",
        """
        import m

        m.f()
        """,
        """
        import m


        if __name__ == "__main__":
            m.f()
        """,
    ),
    (
        "guarded-main",
        """
        import m

        if __name__ == "__main__":
            n = 3
            m.f(n)
        """,
        """
        import m


        def alfa():
            n = 3
            m.f(n)

        if __name__ == "__main__":
            alfa()
        """,
    ),
    (
        "epoch-function",
        """
        def f(n, loader, model):
            for epoch in range(n):
                for x in loader:
                    y = model(x)
                    y.backward()
        """,
        """


        def f_alfa(loader, model):
            for x in loader:
                y = model(x)
                y.backward()
        def f(n, loader, model):
            for epoch in range(n):
                f_alfa(loader, model)
        """,
    ),
    (
        "loop-function",
        """
        def f(loader, model):
            for x in loader:
                model(x)
        """,
        """


        def f_alfa(loader, model):
            for x in loader:
                model(x)
        def f(loader, model):
            f_alfa(loader, model)
        """,
    ),
    (
        "definition-order",
        """
        class A: pass
        class B(A): pass
        def f(): return g()
        def g(): return 1
        """,
        """
        def g(): return 1
        def f(): return g()
        class A: pass
        class B(A): pass
        """,
    ),
    (
        "method-order",
        """
        class A:
            n = 1
            def f(self): pass
            def g(self): pass
        """,
        """
        class A:
            n = 1
            def g(self): pass
            def f(self): pass
        """,
    ),
    (
        "annotations",
        "def f(a, b=1): pass\n",
        "from typing import Any\ndef f(a: Any, b: Any = 1): pass\n",
    ),
    ("local-annotations", "def f():\n    a = 1\n", "def f():\n    a: int = 1\n"),
    ("reprinted", "f( 'a' )\n", "f('a')\n"),
]
REFUSED = [
    ("import-aliases", "from m import *\n"),
    ("import-aliases", "import m\nm = m.n\n"),
    ("import-aliases", "import m\nx = 'm'\n"),
    ("module-attributes", "from PIL import Image\nImage.open(p)\n"),
    ("module-attributes", "from torch import nn\nnn.Linear()\n"),
    ("module-attributes", "from torch import _six\n_six.inf\n"),
    ("from-imports", "import torch._six\ntorch._six.inf\n"),
    ("from-imports", "import torch\ntorch.backends.cudnn.benchmark = True\n"),
    ("keywords-to-positions", "f(a=1)\n"),
    (
        "keywords-to-positions",
        "from torch.utils.data import DataLoader\nDataLoader(shuffle=f(), dataset=g())\n",
    ),
    ("positions-to-keywords", "from torch.utils.data import DataLoader\nDataLoader(*a)\n"),
    ("keyword-order", "f(a=g(), b=h())\n"),
    ("keyword-order", "dict(a=1, b=2)\n"),
    ("options-in-dict", "from torch.utils.data import DataLoader\nDataLoader(data, **o)\n"),
    ("copies-by-position", "x.to(torch.float, non_blocking=True)\n"),
    ("local-names", "def f():\n    a = 1\n    return locals()\n"),
    ("parameter-names", "def f(rows): pass\nf(**{'rows': 1})\n"),
    ("parameter-names", "@hydra.main()\ndef f(rows): pass\n"),
    ("parameter-names", "class A(L.LightningModule):\n    def f(self, rows): pass\n"),
    ("parameter-names", "def f(rows): pass\nh(rows=1)\n"),
    ("parameter-names", "def f(rows): pass\nengine(prepare_batch=f)\n"),
    ("global-names", "rows = 1\nprint('rows')\n"),
    ("function-names", "def f(): pass\nimport_it('x.f')\n"),
    ("function-names", "@register\ndef f(): pass\n"),
    ("member-names", "class A:\n    def read(self): pass\n"),
    ("member-names", "class A(Unknown):\n    def read_one(self): pass\n"),
    ("named-arguments", "def f():\n    return g(k for k in h())\n"),
    ("named-arguments", "def f():\n    return g() or h(3)\n"),
    ("named-iterables", "def f():\n    # dlint: ignore[a]\n    for x in g():\n        pass\n"),
    ("inlined-names", "def f():\n    a = g()\n    h()\n    return a\n"),
    ("inlined-names", "def f():\n    a = g()\n    return h() + a\n"),
    ("in-main", "n = 3\ndef f(): return n\n"),
    ("in-main", "n = dict(a=1)\n"),
    ("global-names", "n = dict(a=1)\n"),
    ("under-guard", "import m\nm.f()\ndef g(): pass\n"),
    ("under-guard", "import m\nm.f(rows)\n"),
    ("under-guard", "if __name__ == '__main__':\n    f()\n"),
    (
        "epoch-function",
        "def f(n):\n    for e in range(n):\n        for x in e:\n            return\n",
    ),
    ("loop-function", "def f(a):\n    t = 0\n    for x in a:\n        t += x\n"),
    ("loop-function", "def f(a):\n    for x in a:\n        y = x\n    return y\n"),
    ("loop-function", "def f(a):\n    for x in a:\n        yield x\n"),
    ("classes-elsewhere", "n = 1\nclass A:\n    m = n\n"),
    ("definition-order", "class A: pass\nclass B(A): pass\n"),
    ("annotations", "@typed\ndef f(a): pass\n"),
    ("local-annotations", "class A:\n    a = 1\n"),
    ("reprinted", "f( 1 )  # noqa\n"),
]
