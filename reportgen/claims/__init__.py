"""Claims about candidates: read from text, decided by the values of a study, and explained.

`study.check` and `study.gate`, the manifest's `expect` with the section Expectations, and the verb
`gate` ask here; one text about one study, asked with the same others, has one answer.
"""
