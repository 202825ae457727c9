"""What dlint sees at a place of a program, and why its rules speak or are silent there.

`objects` finds what stands at the place, `values` and `unknowns` say what is known of it and why no
more is, `asked` writes down what each rule asked of it, `answer` puts all together.
"""
