"""Code that nothing runs, as far as the files of a project say.

Questions, each with a module: does an import of a module fail (`failing_imports`), is a function or
class of a program used by nothing in the project (`unused`, with `left_out` for modules that
nothing imports, and `text_imports` for those that a text may import), or one of a notebook by none
of its cells (`uncalled`, with `notebook_text`), is a method (`unused_methods`), does no run pass
the tests before a place (`switched_off`), is a file set aside (`set_aside`), does it belong to
another project that lies in this one (`vendored`), does a loop stop in a debugger (`debugged`) or
fail in its first round (`failing_loops`). `idleness` answers for a place of a finding.
"""
