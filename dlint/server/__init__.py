"""The language server: what `dlint check` says, while somebody types.

`open_files` holds what the editor has open, `kept_sources` what lies on disk, `session` asks the
engine about both, `schedule` says when, and `protocol` speaks with the editor. Where something
stands, as the editor counts, is `positions`' and `sheets`' alone.
"""
