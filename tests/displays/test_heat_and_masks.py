import numpy as np
import pytest
from displays.reading import Page, decimals

from helpers import PlainError
from helpers.displays import show_heat, show_masked, show_weights_masked
from helpers.displays.heat import opacity, row_maxima

CAUSAL = np.triu(np.ones((3, 3), dtype=bool), 1)
WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.2, 0.3]])
SCORES = np.array([[0.5, 9.0, 9.0], [-0.25, 1.0, 9.0], [2.0, -1.0, 0.125]])
WORDS = ["<sos>", "at", "a"]


def test_scores_under_a_mask():
    display = show_masked.build(SCORES, CAUSAL, "Sm0", WORDS)
    assert display.text == (
        "Sm0  3 × 3\n"
        "          <sos>      at       a\n"
        "<sos> |  +0.500    -inf    -inf\n"
        "at    |  -0.250  +1.000    -inf\n"
        "a     |  +2.000  -1.000  +0.125"
    )
    table = Page(display.html).tables[0]
    assert table.rows[0] == ["+0.500", "\u2212\u221e", "\u2212\u221e"]
    assert [[cell.get("class") for cell in row] for row in table.cell_attributes] == [
        [None, "x", "x"],
        [None, None, "x"],
        [None, None, None],
    ]
    assert table.head == WORDS


def test_weights_under_a_mask():
    display = show_weights_masked.build(WEIGHTS, CAUSAL, "Am0", WORDS)
    text = display.text.split("\n")
    assert text[0] == "Am0  3 × 3 · rows add up to 1"
    assert text[2:] == [
        "<sos> |  1.000      0      0",
        "at    |  0.250  0.750      0",
        "a     |  0.500  0.200  0.300",
        "a bare 0: blocked, exactly 0",
    ]
    page = Page(display.html)
    assert page.tables[0].rows[1] == ["0.250", "0.750", "0"]
    assert [[cell.get("class") for cell in row] for row in page.tables[0].cell_attributes] == [
        ["top", "x", "x"],
        [None, "top", "x"],
        ["top", None, None],
    ]
    assert page.tables[0].cell_attributes[1][0]["style"] == "--a:.3"
    assert page.tables[0].cell_attributes[0][0]["style"] == "--a:.6"
    assert page.text.endswith("0  1 row maximum underlined  blocked: exactly 0")


def test_a_blocked_weight_that_is_not_zero_is_shown_and_said():
    leaking = WEIGHTS.copy()
    leaking[0] = [0.9, 0.1, 0.0]
    display = show_weights_masked.build(leaking, CAUSAL, "A", WORDS)
    assert "1 blocked entries are NOT 0" in display.text
    assert "0.900  0.100      0" in display.text


def test_rows_that_do_not_add_up_to_one_are_not_said_to():
    assert "add up" not in show_weights_masked.build(WEIGHTS / 2, CAUSAL, "A").text


def test_one_row_of_a_mask_stands_for_all_rows_and_words_need_not_be_the_same():
    page = Page(show_masked.build(SCORES[:, :2], [False, True], "S", WORDS, ["cat", "sat"]).html)
    assert [[cell.get("class") for cell in row] for row in page.tables[0].cell_attributes] == [[None, "x"]] * 3
    assert page.tables[0].head == ["cat", "sat"]


def test_heat_colours_say_sign_and_size():
    display = show_heat.build([[1.0, -0.25, 0.0], [-1.0, 1e-17, 0.5]], "S0", note="scaled scores")
    table = Page(display.html).tables[0]
    assert table.caption == "S0 2 × 3 · scaled scores"
    assert [[(cell.get("class"), cell.get("style")) for cell in row] for row in table.cell_attributes] == [
        [(None, "--a:.6"), ("n", "--a:.3"), (None, None)],
        [("n", "--a:.6"), (None, None), (None, "--a:.42")],
    ]
    assert table.rows[1] == ["\u22121.000", "+0.000", "+0.500"]
    assert "\u22121.00" in Page(display.html).text
    assert "+1.00" in Page(display.html).text


def test_noise_chooses_neither_colour_nor_sign():
    noisy = np.array([[1.0, -3e-17], [2e-16, 1.0]])
    clean = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert show_heat.build(noisy, "S").html == show_heat.build(clean, "S").html
    assert show_heat.build(noisy, "S").text == show_heat.build(clean, "S").text


def test_a_matrix_of_zeros_has_no_colour():
    assert "--a:." not in show_heat.build(np.zeros((2, 2)), "S").html.partition("</style>")[2]


def test_blocked_scores_do_not_set_the_scale():
    html = show_heat.build(SCORES, "S", blocked=CAUSAL).html
    assert "+2.00" in html
    assert "blocked: \u2212\u221e" in html


@pytest.mark.parametrize(
    ("value", "largest", "css"),
    [(1, 1, ".6"), (-0.25, 1, ".3"), (0.3219, 1, ".34"), (0, 1, ""), (1e-13, 1, ""), (1, 0, ""), (1e-6, 1, "")],
)
def test_opacity(value, largest, css):
    assert opacity(value, largest) == css


def test_row_maxima_do_not_depend_on_noise():
    weights = np.array([[0.4, 0.4 + 1e-16, 0.2], [0.25, 0.25, 0.25], [0.1, 0.2, 0.7]])
    none = np.zeros(weights.shape, dtype=bool)
    assert row_maxima(weights, none).tolist() == [[True, True, False], [False] * 3, [False, False, True]]
    blocked = np.array([[False, True, True]] * 3)
    assert row_maxima(weights, blocked).tolist() == [[True, False, False]] * 3


def test_html_and_text_print_the_same_numbers():
    scores = np.random.RandomState(3).normal(0, 1, (7, 7))
    blocked = np.triu(np.ones((7, 7), dtype=bool), 1)
    for display in (
        show_masked.build(scores, blocked, "S"),
        show_heat.build(scores, "S"),
        show_heat.build(scores, "S", blocked=blocked),
    ):
        cells = [cell for row in Page(display.html).tables[0].rows for cell in row]
        assert decimals(" ".join(cells)) == decimals("\n".join(display.text.split("\n")[:9]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: show_masked.build(SCORES, CAUSAL[:2], "S"), "The mask is 2 × 3, but S is 3 × 3."),
        (lambda: show_masked.build(SCORES, CAUSAL.astype(int), "S"), "The mask of S holds int64 values;"),
        (lambda: show_weights_masked.build(WEIGHTS[0], CAUSAL, "A"), "A has one dimension (3 entries)"),
        (lambda: show_weights_masked.build(WEIGHTS, CAUSAL, "A", ["a"]), "1 row labels were given, but A has 3 rows."),
        (lambda: show_heat.build(np.ones((2, 2)), "S", cols=["a"]), "1 column labels were given, but S has 2 columns."),
    ],
)
def test_wrong_calls_get_one_sentence(call, message):
    with pytest.raises(PlainError) as error:
        call()
    assert str(error.value).startswith(message)
