"""What an editor's own settings say: the options of `dlint.check`, by their names."""

from __future__ import annotations

from dataclasses import fields

from dlint.api.settings import Settings
from dlint.workspace.errors import UsageError

_SECTION = "dlint"


def settings_of(given: object) -> Settings:
    """The settings in what an editor sends; it may lie below the key `dlint`. Raises UsageError."""
    if not isinstance(given, dict):
        return Settings()
    table = given.get(_SECTION, given)
    if not isinstance(table, dict):
        return Settings()
    known = {field.name for field in fields(Settings)}
    named = {str(key).replace("-", "_"): value for key, value in table.items()}
    unknown = sorted(named.keys() - known)
    if unknown:
        names = ", ".join(sorted(name.replace("_", "-") for name in known))
        raise UsageError(
            f"the editor's settings for dlint: no key `{unknown[0]}`; there are {names}"
        )
    return Settings(**named)
