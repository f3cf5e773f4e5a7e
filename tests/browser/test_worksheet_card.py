"""The card that makes worksheets, in a real JupyterLab: it makes a PDF, and the browser downloads it."""

import json

import pytest

# Started, not waited for: the command's own promise may outlive its cells.
RUN_ALL = "() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }"
KERNEL_READY = """() => {
    const session = window.jupyterapp.shell.currentWidget?.sessionContext;
    return session?.isReady && session.session?.kernel?.status === 'idle';
}"""
CUT_OFF = """() => {
    const edge = document.querySelector('.tbh-card').getBoundingClientRect().right + 1;
    const all = [...document.querySelectorAll('.tbh-card :is(input, select, button)')];
    return all.filter(control => control.getBoundingClientRect().right > edge).length;
}"""
CELL = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    "cells": [CELL | {"id": "card", "source": "from helpers import worksheet_card\nworksheet_card()"}],
}


@pytest.fixture(scope="module")
def page(browser, lab):
    page = browser.new_page(viewport={"width": 1100, "height": 900}, accept_downloads=True)
    page.set_default_timeout(300_000)  # a busy machine is no error
    address = f"{lab.address}/api/contents/card.ipynb?token={lab.token}"
    done = page.request.put(address, data=json.dumps({"type": "notebook", "content": NOTEBOOK}))
    assert done.ok, done.status_text
    page.goto(lab.url("card.ipynb"))
    page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell")
    page.wait_for_function("() => window.jupyterapp", polling=200)
    page.wait_for_function(KERNEL_READY, polling=200)
    page.evaluate(RUN_ALL)
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
