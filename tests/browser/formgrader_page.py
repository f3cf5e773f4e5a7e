"""nbgrader's formgrader as whoever marks uses it."""

from urllib.parse import urlsplit

LOADED = "typeof formgrader === 'object' && formgrader.grades?.loaded && formgrader.comments?.loaded"


def stay_here(page):
    """Let a page ask this machine alone: formgrader's waits for MathJax from elsewhere before it shows any mark."""
    page.route(lambda address: urlsplit(address).hostname != "127.0.0.1", lambda route: route.abort())


def open_submission(page, gradebook, student):
    """Go from the list of submissions of a unit, at the address `gradebook`, to one student's notebook."""
    page.goto(gradebook)
    page.wait_for_selector("td.name a.name-shown", state="attached")
    (address,) = [
        link.get_attribute("href")
        for link in page.locator("td.name a.name-shown").all()
        if link.text_content() == student
    ]
    page.goto(f"http://{urlsplit(page.url).netloc}{address}")
    page.wait_for_function(LOADED)


def answer_box(page, grade_id):
    """The box of one answer in words: the words, the mark, the comment."""
    return page.locator(".nbgrader_cell", has=page.locator(f'[id="{grade_id}"]'))


def written(page, grade_id):
    """(mark, comment) as formgrader shows them."""
    comment = page.locator(f'[id="{grade_id}-comment"]')
    return page.locator(f'[id="{grade_id}"]').input_value(), comment.input_value()


def write(page, place, text):
    """Write a mark or a comment into the field of this id, and wait until formgrader has sent it."""
    with saving(page):
        page.locator(f'[id="{place}"]').fill(text)
        page.keyboard.press("Tab")


def saving(page):
    """A context that ends when formgrader has sent what was changed in it."""
    return page.expect_response(
        lambda answer: answer.request.method == "PUT" and "/formgrader/api/" in answer.url and answer.ok
    )
