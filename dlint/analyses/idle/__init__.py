"""Code that nothing runs, as far as the files of a project say.

Three questions, each with a module: does an import of a module fail (`failing_imports`), is a
function or class of a program used by nothing in the project (`unused`), does a file belong to
another project that lies in this one (`vendored`). `idleness` answers for a place of a finding.
"""
