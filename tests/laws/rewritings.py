"""The list of rewritings. A new one is a small class with a docstring and a line here."""

from __future__ import annotations

from tests.laws.arguments import ARGUMENTS
from tests.laws.elsewhere import ELSEWHERE
from tests.laws.expressions import EXPRESSIONS
from tests.laws.imports import IMPORTS
from tests.laws.layout import LAYOUT
from tests.laws.members import MEMBERS
from tests.laws.moves import MOVES
from tests.laws.names import NAMES
from tests.laws.rewriting import Rewriting

REWRITINGS: tuple[Rewriting, ...] = (
    *IMPORTS,
    *ARGUMENTS,
    *NAMES,
    *MEMBERS,
    *EXPRESSIONS,
    *MOVES,
    *ELSEWHERE,
    *LAYOUT,
)
BY_NAME = {rewriting.name: rewriting for rewriting in REWRITINGS}
WHOLE_FILE = (
    "import-aliases",
    "module-attributes",
    "from-imports",
    "keyword-order",
    "positions-to-keywords",
    "keywords-to-positions",
    "local-names",
    "annotations",
    "local-annotations",
    "definition-order",
    "reprinted",
)
"""Those that are applied to repositories."""
