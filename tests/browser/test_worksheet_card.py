"""The card that makes worksheets, in a real JupyterLab: it makes a PDF, and the browser downloads it."""

import pytest
from card_pages import told_by_axe, vs_code_dark
from running_lab import open_and_run

CUT_OFF = """() => {
    const edge = document.querySelector('.tbh-card').getBoundingClientRect().right + 1;
    const all = [...document.querySelectorAll('.tbh-card :is(input, select, button)')];
    return all.filter(control => control.getBoundingClientRect().right > edge).length;
}"""


@pytest.fixture(scope="module")
def page(browser, lab):
    notebook = lab.write_notebook("worksheets/alone/card.ipynb", "from helpers import worksheet_card\nworksheet_card()")
    page = open_and_run(browser, lab, notebook, 1, width=1100)
    page.wait_for_selector(".tbh-card")
    yield page
    page.close()


def downloaded(page, label):
    with page.expect_download() as download:
        page.get_by_text(label).click()
    return download.value.suggested_filename, download.value.path().read_bytes()


def test_a_click_makes_a_pdf_and_another_downloads_it(page):
    page.get_by_label("Sentence").fill("der Hund läuft")
    page.keyboard.press("Tab")
    page.get_by_label("Key").select_option(label="a file of its own")
    page.get_by_role("button", name="Make the PDF").click()
    name, sheet = downloaded(page, "Download the worksheet")
    assert name.startswith("worksheet-E4-2-8-3-seed0-")
    key_name, key = downloaded(page, "Download its key")
    assert key_name == name.replace(".pdf", "-key.pdf")
    for pdf in (sheet, key):
        assert pdf.startswith(b"%PDF-")
        assert pdf.rstrip().endswith(b"%%EOF")


def test_what_cannot_be_made_is_one_sentence_in_the_card(page):
    page.get_by_label("heads").fill("3")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Make the PDF").click()
    page.wait_for_selector(".tbh-card [role=alert]")
    assert "d_model must be divisible by heads" in page.locator(".tbh-card [role=alert]").inner_text()


def test_a_narrow_window_cuts_nothing_off(page):
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_timeout(500)
    assert page.evaluate(CUT_OFF) == 0


def test_axe_finds_nothing_that_keeps_people_out_in_vs_code_either(page):
    """The page holds no other card: what this one needs of style it brings along."""
    assert told_by_axe(page) == []
    with vs_code_dark(page):
        assert told_by_axe(page) == []
