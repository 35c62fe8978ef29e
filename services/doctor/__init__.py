"""The doctor: what must hold of a database (QUALITY's invariants), and what is wrong where it does not.

`invariants` names them, `violation` is what is told, `reading` reads the log up to one position, and `examination` asks
everything. One module each for what is asked of the whole log (`commands`), a stream (`streams`), a hand (`hands`), a
tournament's chips (`chips`), the money (`money`) and the projections (`projections`); `replay` and its modules decide
everything again by the rules.
"""
