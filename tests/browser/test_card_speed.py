"""A card answers at once: a loose bound that holds on a busy machine; make bench asserts what the course promises."""

from card_speed import median, ninety_fifth, waits

# Five times the budget of make bench: a test machine may do other work beside, and then no time is a promise.
LOOSE_MEDIAN_MS, LOOSE_95TH_MS = 250, 500


def test_a_change_is_on_the_screen_before_one_waits(browser, lab):
    for key, times in waits(browser, lab).items():
        print(f"{key}: median {median(times):.0f} ms, 95th percentile {ninety_fifth(times):.0f} ms")
        assert median(times) <= LOOSE_MEDIAN_MS, key
        assert ninety_fifth(times) <= LOOSE_95TH_MS, key
