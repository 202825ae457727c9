"""Facts about torch and other libraries, as data that rules and the evaluator ask."""
