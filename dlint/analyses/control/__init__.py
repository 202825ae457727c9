"""Control: does this run, how often, under which tests, before or after that.

| question | module |
| --- | --- |
| how a block ends, what is dead, whether a loop is left in its first round | `completions` |
| whether each run of a block comes to a statement, and under which tests it does | `path_tests` |
| whether one statement runs before or after another of its function | `order` |
| how many rounds a loop makes | `rounds` |
| what the calls on the way to a function, or out of it, have in common | `call_paths` |
| functions that only a script that has failed before would call | `failures` |
| whether a statement certainly fails, or an unpacking in it | `faults`, `unpackings` |
"""
