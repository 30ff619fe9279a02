"""The built-in policies as bots."""

import pytest
from tests.engine.play import asked, random_match

from kiery.policy import POLICIES
from kiery.rules import preset
from kiery.view import DecisionKind, Phase
from kiery_bots.builtin import BOTS, from_environment


def play_match(bots, seed=1):
    """Plays a match of two deals with bots and returns all that they did."""
    match = random_match(preset("hearts", 4), seed, deal_limit=2)
    done = []
    for _ in range(2):
        match.start_deal()
        while match.deal.phase is not Phase.SCORED:
            for seat, bot in enumerate(bots):
                decision = asked(match.deal, seat)
                if decision is None:
                    continue
                observation = match.observe(seat, decision=decision)
                if decision.kind is DecisionKind.PASS:
                    cards = bot.pass_cards(observation)
                    assert len(set(cards)) == 3
                    assert set(cards) <= set(observation.hand)
                    done.append(tuple(sorted(cards)))
                    match.choose_pass(seat, sum(1 << card for card in cards))
                elif decision.kind is DecisionKind.PLAY:
                    card = bot.play(observation)
                    assert card in observation.legal
                    done.append(card)
                    match.play(card)
                else:
                    match.choose_moon(bot.choose_moon(observation))
                break
    return done


def test_there_is_a_bot_for_each_policy() -> None:
    assert BOTS.keys() == POLICIES.keys()


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_plays_by_the_rules_under_the_name_of_its_policy(name) -> None:
    bot = BOTS[name]()

    assert play_match([bot] * 4)
    assert (bot.name, bot.version) == (name, str(POLICIES[name].version))


def test_a_seed_makes_chance_repeatable(monkeypatch) -> None:
    monkeypatch.setenv("KIERY_BOT_SEED", "7")
    seeded = [play_match([from_environment("random")] * 4) for _ in range(2)]
    monkeypatch.setenv("KIERY_BOT_SEED", "8")
    other = play_match([from_environment("random")] * 4)

    assert seeded[0] == seeded[1] != other


def test_without_a_seed_chance_is_fresh(monkeypatch) -> None:
    monkeypatch.delenv("KIERY_BOT_SEED", raising=False)

    assert play_match([from_environment("random")] * 4) != play_match([from_environment("random")] * 4)
