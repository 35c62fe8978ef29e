"""The rules of Big 2 as card rooms published them: pure functions over plain values.

In reading order:

- the cards: `cards` (R1), `errors` (what can go wrong)
- a house's rules as data (R12): `switches` and `switch_forms` (what is offered), `switch_table`, `rulesets`
- what is played: `book` (every card set, R3), `card_sets` (R3, R4.1), `table` (R5.3, R9), `ring` (R10)
- a hand: `actions`, `state` (R4, R5), `automatic` (R6), `assistant` (R7), `hand` (plays, passes and the clock)
- what it costs: `settlement` (R8), `results` (what can be the result of a hand with real cards)
- a hand on record: `form` (strict JSON), `record` (`big2-hand/1`), `history` (the judgement of it), `tricks`
- rule sets for people and programs: `ruletext` (TOML), `rulepage`, `ruleset_schema`
- words: `answers` (single questions), `position`, `explain` and `explain_record` (why cards may be played or not),
  `quoted`, `told`, `telling` and `telling_play` (a hand for people)
"""
