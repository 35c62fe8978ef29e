"""Rule sets for the tests: each switch with another value than `actionpoker` has, and any at all, right or wrong."""

from hypothesis import strategies as st

from big2.rulesets import ruleset_to_mapping
from big2.switch_table import SWITCHES
from tests.big2.play import PRESETS

CHANGED = [
    ("suits", "CDHS"),
    ("straights", ["A2345", "TJQKA"]),
    ("straights", []),
    ("straight_tie", "last_in_sequence"),
    ("straight_tie", "suit_first"),
    ("flush", "suit_then_ranks"),
    ("flush", "top_card"),
    ("flush", "not_allowed"),
    ("straight_flush", "suit_then_sequence"),
    ("triples", False),
    ("quads_kicker", False),
    ("quads_beat_any", True),
    ("opening_card", "TC"),
    ("opening_play", "any_set"),
    ("opening_play", "it_alone"),
    ("opening_scope", "every_hand"),
    ("direction", "clockwise"),
    ("direction", "counterclockwise"),
    ("pass_locks_trick", True),
    ("auto_pass", []),
    ("auto_pass", ["too_few_cards"]),
    ("duty", "multi_card_or_highest_single"),
    ("last_card", "forced"),
    ("last_card", "off"),
    ("liability", "comparisons"),
    ("liability", "takes_all"),
    ("point_tiers", [[10, 2], [13, 3]]),
    ("twos", "double_each"),
    ("twos", "add_factor"),
    ("comparison", "winner_takes"),
    ("settlement_order", "right_of_dealer"),
    ("stake_cap", "loss_and_gain"),
    ("stake_cap", "none"),
    ("dragon", True),
]

_rank_texts = st.text("3456789TJQKA2DCHS", max_size=6)
_numbers = st.integers(-1, 15) | st.sampled_from([0.5, 2.5, 1000, 1001]) | st.booleans()
_anything = st.recursive(
    st.none() | st.booleans() | _numbers | _rank_texts | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


def _offered(name):
    """Values that the switch takes, and near misses of them."""
    taken = [value for changed, value in CHANGED if changed == name]
    right = st.sampled_from(taken)
    if name == "suits":
        right |= st.permutations("DCHS").map("".join) | st.text("DCHS", min_size=3, max_size=5)
    if name == "straights":
        listed = ["A2345", "34567", "TJQKA", "JQKA2", "KA234", "34578"]
        right |= st.lists(st.sampled_from(listed), max_size=4)
    if name == "auto_pass":
        right |= st.lists(st.sampled_from(["two_of_spades", "too_few_cards", "player"]), max_size=3)
    if name == "point_tiers":
        right |= st.lists(st.lists(_numbers, min_size=1, max_size=3), max_size=3)
    if name == "opening_card":
        right |= _rank_texts | st.just("lowest_dealt")
    return right


_names = st.lists(st.sampled_from([switch.name for switch in SWITCHES]), unique=True, max_size=4)


@st.composite
def written_rule_sets(draw):
    """A rule set as somebody may write it: in whole or over a base, often right, sometimes with a stranger."""
    written = {name: draw(_mostly(_offered(name), _anything)) for name in draw(_names)}
    if draw(st.booleans()):
        written["base"] = draw(_mostly(st.sampled_from([*PRESETS]), st.just("nowhere") | _anything))
    else:
        whole = ruleset_to_mapping(draw(st.sampled_from([*PRESETS.values()])))
        left_out = draw(_mostly(st.just(""), st.sampled_from([*whole])))
        written = {name: value for name, value in whole.items() if name != left_out} | written
    if draw(st.integers(0, 9)) == 9:
        written[draw(st.text(max_size=5))] = draw(_anything)
    return written


@st.composite
def _mostly(draw, usual, rare):
    return draw(rare) if draw(st.integers(0, 9)) == 9 else draw(usual)
