"""`${a.b}` in a file of a Hydra config: what the compositions that choose the file give to it.

Question: which value do all compositions that hold the file agree on? Given up on (Unknown): those
that disagree, and names that no composition has. `_MOST` primary configs a folder are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlint.frontends.settings_files import Group, Interpolated, Setting
from dlint.ir import expressions as ex
from dlint.semantics.libraries.config_files import ConfigFiles
from dlint.semantics.values.conditional_value import ConditionalValue, ConditionalValues
from dlint.semantics.values.solver import Solver
from dlint.semantics.values.values import UNKNOWN

if TYPE_CHECKING:
    from dlint.frontends.documents import Documents
    from dlint.frontends.settings_files import Document

_MOST = 12
"""Primary configs of one folder that are looked at."""


def alternatives(solver: Solver, expression: Interpolated) -> ConditionalValues:
    """The value in the one composition that holds the file, or in which all of them agree."""
    documents = solver.project.documents
    found = [] if documents is None else list(_values(documents, expression))
    plain = {value.value if isinstance(value, Setting) else value for value in found}
    if len(plain) != 1 or not isinstance(found[0], Setting):
        return [ConditionalValue(UNKNOWN)]
    return solver[ConfigFiles].alternatives(found[0])


def _values(documents: Documents, expression: Interpolated) -> Iterator[ex.Expression | None]:
    """What stands under the names in each composition that holds the file."""
    folder = expression.path.rpartition("/")[0].rpartition("/")[0]
    while documents.is_inside(folder):
        for name in documents.primaries(folder)[:_MOST]:
            document = documents.composed(folder, name)
            if document is not None and _holds(document.root, expression.path):
                yield _under(document, expression.names)
        folder = folder.rpartition("/")[0]


def _holds(root: ex.Expression, path: str) -> bool:
    """Whether something of a file is part of a composition."""
    if isinstance(root, Setting):
        return root.path == path
    return isinstance(root, Group) and any(_holds(part, path) for _, part in root.items)


def _under(document: Document, names: tuple[str, ...]) -> ex.Expression | None:
    part: ex.Expression | None = document.root
    for name in names:
        items = part.items if isinstance(part, Group) and not part.is_open else ()
        part = next((v for k, v in items if isinstance(k, ex.Constant) and k.value == name), None)
    return part
