"""The rules of Big 2 as four online card rooms published them: pure functions over plain values.

In reading order: `cards` (R1), `switch_table` and `rulesets` (R12), `card_sets` and `book` (R3), `table` (R5.3, R9),
`ring` (R10), `state` (R4, R5), `automatic` (R6), `assistant` (R7), `hand` (plays, passes and the clock),
`settlement` (R8), `history` (one hand as a record, and the judgement of it), `answers` (single questions),
`explain` (why cards may be played or not), `rulepage` and `ruleset_schema` (a rule set for people, and for programs),
`tricks` and `telling` (a hand for people).
"""
