"""R4–R8 once more, written to be slow and plain, from the rulebook's words and nothing of `big2.state` or `big2.hand`.

It is a table as people keep one: who holds what, whose turn it is, what lies there, who has passed.
"""

from itertools import combinations

from tests.big2.slow_referee import rank_height, slow_beats, slow_classify, suit_height


class SlowHand:
    """One hand; seats are 1–4 clockwise, `step` is 1 or -1, cards are numbers."""

    def __init__(self, rules, dealer, step, leader, holdings):
        self.rules, self.dealer, self.step = rules, dealer, step
        self.holdings = {seat: set(cards) for seat, cards in holdings.items()}
        self.on_table = None
        self.played_by = None
        self.locked = set()
        self.breach_by = None
        self.winner = None
        self.liable = None
        opening = self.opening_card()
        holder = next(seat for seat, cards in self.holdings.items() if opening in cards)
        self.turn = leader or holder
        self.must_include = opening if leader is None and rules.opening_play != "any_set" else None
        if rules.dragon:
            self.look_for_a_dragon()

    def order(self, card):
        return rank_height(card), suit_height(self.rules, card)

    def opening_card(self):
        dealt = set().union(*self.holdings.values())
        named = self.rules.opening_card
        return named if named in dealt else min(dealt, key=self.order)

    def look_for_a_dragon(self):
        seat = self.dealer
        for _ in range(4):
            seat = self.around(seat)
            ranks = {card // 4 for card in self.holdings.get(seat, ())}
            if len(ranks) == 13:
                self.holdings[seat] = set()
                self.winner, self.turn = seat, None
                return

    def around(self, seat):
        return (seat - 1 + self.step) % 4 + 1

    def after(self, seat):
        """The next seat dealt in."""
        seat = self.around(seat)
        while seat not in self.holdings:
            seat = self.around(seat)
        return seat

    # what may be played

    def refusal(self, cards):
        """The clause that forbids the seat to act these cards, or None; `cards` as named, repeats and all."""
        if self.turn is None:
            return "R4.4"
        if len(set(cards)) < len(cards) or not set(cards) <= self.holdings[self.turn]:
            return "R2.1"
        if slow_classify(self.rules, cards) is None:
            return "R3.1"
        if self.on_table is not None and not slow_beats(self.rules, cards, self.on_table):
            return "R4.1"
        if self.must_include is not None:
            alone = self.rules.opening_play == "it_alone"
            if self.must_include not in cards or (alone and len(cards) > 1):
                return "R5.2"
        if self.rules.last_card == "forced" and self.fails_in_duty(cards):
            return "R7.2"
        return None

    def legal_by_r4_and_r5(self):
        held = sorted(self.holdings[self.turn])
        tried = [cards for size in range(1, 6) for cards in combinations(held, size)]
        return [cards for cards in tried if self.refusal(cards) in (None, "R7.2")]

    def may_pass(self):
        return self.on_table is not None and not (self.rules.last_card == "forced" and self.fails_in_duty(()))

    def fails_in_duty(self, cards):
        """R7.2, R7.3; `cards` is empty for a pass."""
        if self.rules.last_card == "off" or len(self.holdings) == 2:
            return False
        if len(self.holdings[self.after(self.turn)]) != 1:
            return False
        held = sorted(self.holdings[self.turn])
        tried = [each for size in range(1, 6) for each in combinations(held, size)]
        legal = [each for each in tried if self.legal_but_for_duty(each)]
        several = [each for each in legal if len(each) > 1]
        singles = [each for each in legal if len(each) == 1]
        highest = max(singles, key=lambda single: self.order(single[0]), default=None)
        if self.rules.duty == "multi_card_or_highest_single":
            owed = [*several, *([highest] if highest else [])]
        else:
            owed = several or ([highest] if highest else [])
        return bool(owed) and tuple(sorted(cards)) not in owed

    def legal_but_for_duty(self, cards):
        if slow_classify(self.rules, cards) is None:
            return False
        if self.on_table is not None and not slow_beats(self.rules, cards, self.on_table):
            return False
        if self.must_include is None:
            return True
        return self.must_include in cards and (self.rules.opening_play != "it_alone" or len(cards) == 1)

    # what happens

    def play(self, cards):
        """The automatic passes that follow, as (seat, reason)."""
        seat = self.turn
        breach = self.fails_in_duty(cards)
        assistant, self.breach_by = self.breach_by, seat if breach else None
        self.holdings[seat] -= set(cards)
        self.must_include = None
        if not self.holdings[seat]:
            self.winner, self.turn, self.on_table, self.played_by, self.locked = seat, None, None, None, set()
            self.liable = assistant if assistant is not None and self.after(assistant) == seat else None
            return []
        self.on_table, self.played_by = cards, seat
        self.go_on()
        return self.pass_by_themselves()

    def pass_(self):
        """The automatic passes that follow."""
        self.breach_by = self.turn if self.fails_in_duty(()) else None
        self.give_up()
        return self.pass_by_themselves()

    def give_up(self):
        if self.rules.pass_locks_trick:
            self.locked.add(self.turn)
        self.go_on()
        if self.turn == self.played_by:
            self.on_table, self.played_by = None, None
            self.locked = set()

    def go_on(self):
        last = self.turn
        self.turn = self.after(self.turn)
        while self.turn in self.locked and self.turn != last:
            self.turn = self.after(self.turn)

    def pass_by_themselves(self):
        passed = []
        while self.on_table is not None and (reason := self.reason()) is not None:
            passed.append((self.turn, reason))
            self.breach_by = None
            self.give_up()
        return passed

    def reason(self):
        held = len(self.holdings[self.turn])
        if self.rules.quads_beat_any and held >= (5 if self.rules.quads_kicker else 4):
            return None
        highest = max(range(52), key=self.order)
        if "two_of_spades" in self.rules.auto_pass and highest in self.on_table and len(self.on_table) <= 3:
            return "two_of_spades"
        if "too_few_cards" in self.rules.auto_pass and held < len(self.on_table):
            return "too_few_cards"
        return None

    # what it costs

    def points(self):
        """By seat, R8.1 with R12's factors, before comparing."""
        points = {seat: self.worth(cards) for seat, cards in self.holdings.items()}
        if self.liable is not None and self.rules.liability == "takes_all":
            points = {seat: sum(points.values()) if seat == self.liable else 0 for seat in points}
        return points

    def worth(self, cards):
        factor = 1
        for least, times in self.rules.point_tiers:
            factor = times if len(cards) >= least else factor
        twos = sum(1 for card in cards if card // 4 == 12)
        if self.rules.twos == "add_factor":
            factor += twos
        if self.rules.twos == "double_each":
            factor *= 2**twos
        return len(cards) * factor

    def in_order(self):
        """R8.2."""
        if self.rules.settlement_order == "winner_first":
            seats = [self.winner]
            while len(seats) < len(self.holdings):
                seats.append(self.after(seats[-1]))
            return seats
        right = [(self.dealer - 2 - turn) % 4 + 1 for turn in range(4)]
        return [seat for seat in right if seat in self.holdings]

    def nets(self, unit, stacks):
        """By seat, R8 as a whole; a stack is None where nothing is cut."""
        net = dict.fromkeys(self.holdings, 0)

        def pay(payer, receiver, due):
            cap, has, has_too = self.rules.stake_cap, stacks[payer], stacks[receiver]
            if has is not None and cap != "none":
                due = min(due, has + net[payer])
            if has_too is not None and cap == "loss_and_gain":
                due = min(due, has_too - net[receiver])
            net[payer] -= due
            net[receiver] += due

        points = self.points()
        for one, other in combinations(self.in_order(), 2):
            if self.rules.comparison == "winner_takes" and self.winner not in (one, other):
                continue
            loser, gainer = (one, other) if points[one] > points[other] else (other, one)
            if gainer == self.liable:
                continue
            if self.liable is not None and self.rules.liability == "comparisons":
                loser = self.liable
            pay(loser, gainer, abs(points[one] - points[other]) * unit)
        if self.liable is not None and self.rules.liability == "net_losses":
            for seat in self.in_order():
                if seat != self.liable and net[seat] < 0:
                    pay(self.liable, seat, -net[seat])
        return net
