"""Regular expressions that are compiled when they are first asked.

Most are asked of code that a run over one file does not meet, and compiling all of them takes a
thirtieth of such a run.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazily(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, compiled at the first question. Raises `re.error` only then."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: Any, flags: int) -> None:
        self._given = pattern, flags
        self.pattern, self.flags = pattern, int(flags)

    def __getattr__(self, name: str) -> Any:
        """An attribute of the compiled one, found at once from then on."""
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found
