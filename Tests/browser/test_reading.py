"""Reading a long chat: the reader's place is kept within a pixel, whatever comes or grows; pages of older blocks join on."""
import re

import pytest

from wheelhouse import wait_for

STATE = """() => ({
    distance: document.documentElement.scrollHeight - document.documentElement.clientHeight - scrollY,
    blocks: document.querySelectorAll('#timeline > [data-seq]').length,
    follow: !document.getElementById('follow').hidden,
})"""
#: The block in the middle of the view, and how far its top is from the view's.
EYE = """() => {
    for (let y = 300; y < innerHeight; y += 10) {
        const block = document.elementFromPoint(innerWidth / 2, y)?.closest('#timeline > .block');
        if (block) return [block.id, block.getBoundingClientRect().top];
    }
}"""
TOP = "(id) => document.getElementById(id).getBoundingClientRect().top"


@pytest.fixture
def page(world, visit):
    page = visit().page(world.path(world.long))
    page.wait_for_selector("#link-state[data-state=live]")
    return page


def scroll(page, pixels):
    page.mouse.move(600, 400)
    page.mouse.wheel(0, pixels)
    page.wait_for_timeout(120)


def quiet(page):
    """Waits until nothing loads and nothing grows."""
    page.wait_for_load_state("networkidle")
    heights = [0]

    def is_still():
        heights.append(page.evaluate("document.documentElement.scrollHeight"))
        return len(heights) > 6 and len(set(heights[-5:])) == 1

    wait_for(is_still, 15, "a page that rests")


def test_a_session_opens_at_its_end_and_follows(world, page):
    assert page.evaluate(STATE)["distance"] <= 1
    world.long.answer("followed line")
    page.get_by_text("followed line").wait_for()
    wait_for(lambda: page.evaluate(STATE)["distance"] <= 1, 5, "the end")
    assert not page.evaluate(STATE)["follow"]


def test_new_output_does_not_move_a_reader_who_scrolled_away(world, page):
    quiet(page)
    scroll(page, -900)
    block, top = page.evaluate(EYE)
    for number in range(5):
        world.long.answer(f"unfollowed line {number}")
    page.get_by_text("unfollowed line 4").wait_for(state="attached")
    quiet(page)
    assert abs(page.evaluate(TOP, block) - top) <= 1
    button = page.get_by_role("button", name="New output")
    button.click()
    wait_for(lambda: page.evaluate(STATE)["distance"] <= 1, 5, "the end")
    assert button.is_hidden()
    world.long.answer("followed again")
    page.get_by_text("followed again").wait_for()
    wait_for(lambda: page.evaluate(STATE)["distance"] <= 1, 5, "the end")


def test_scrolling_up_loads_older_pages_and_keeps_the_line_under_the_eye(page):
    quiet(page)
    first = page.evaluate(STATE)["blocks"]
    for _ in range(60):
        scroll(page, -1500)
        before = page.evaluate(STATE)["blocks"]
        block, top = page.evaluate(EYE)
        quiet(page)
        after = page.evaluate(STATE)["blocks"]
        assert abs(page.evaluate(TOP, block) - top) <= 1, f"{before} to {after} blocks moved the view"
        if after >= first + 150:
            break
    assert page.evaluate(STATE)["blocks"] >= first + 150, "pages of older blocks came"
    numbers = page.evaluate("[...document.querySelectorAll('#timeline > [data-seq]')].map((block) => Number(block.dataset.seq))")
    assert numbers == sorted(set(numbers)), "each once, in order"


def test_the_place_is_remembered_for_a_visit(world, page):
    quiet(page)
    scroll(page, -1200)
    quiet(page)
    block, top = page.evaluate(EYE)
    page.goto("/")
    page.go_back()
    page.wait_for_selector("#timeline .block")
    quiet(page)
    assert abs(page.evaluate(TOP, block) - top) <= 2


def test_a_link_to_a_block_shows_that_block(world, visit, page):
    block = page.evaluate("document.querySelectorAll('#timeline > .block')[5].id")
    other = visit().page(f"{world.path(world.long)}#{block}")
    quiet(other)
    assert 0 <= other.evaluate(TOP, block) < 300


def test_a_fold_that_the_reader_opened_stays_open_while_patches_come(world, visit):
    page = visit().page(world.path(world.story))
    page.wait_for_selector("#link-state[data-state=live]")
    tool = page.locator("[data-kind=tool]", has_text="Read").first
    tool.locator("summary").first.click()
    world.story.use("Bash", {"command": "true", "description": "Nothing"}, "").answer("after the fold")
    page.get_by_text("after the fold").wait_for()
    assert tool.locator("details").first.get_attribute("open") is not None


# MARK: diagrams


def diagram(page, text):
    figure = page.locator("figure.mermaid", has=page.locator("pre", has_text=text)).first
    figure.scroll_into_view_if_needed()
    return figure


@pytest.fixture
def drawn(world, visit):
    page = visit().page(world.path(world.story))
    if page.evaluate("!document.documentElement.dataset.mermaid"):
        pytest.skip("no mermaid.min.js: run scripts/fetch-vendor")
    return page


def test_a_diagram_is_drawn_as_a_picture_and_its_source_is_one_press_away(drawn):
    figure = diagram(drawn, "sequenceDiagram")
    figure.locator("img").wait_for()
    assert figure.locator("img").evaluate("(image) => image.naturalWidth") > 100
    assert figure.locator("pre").is_hidden()
    figure.get_by_role("button", name="Show the source").click()
    assert figure.locator("pre").is_visible()
    light = figure.locator("img").get_attribute("src")
    drawn.emulate_media(color_scheme="dark")
    wait_for(lambda: figure.locator("img").get_attribute("src") != light, 10, "a drawing in dark colours")
    figure.get_by_role("button", name="Enlarge").click()
    dialog = drawn.get_by_role("dialog", name="Diagram")
    with drawn.expect_download() as download:
        dialog.get_by_role("button", name="SVG").click()
    assert download.value.suggested_filename.endswith(".svg")
    with drawn.expect_download() as download:
        dialog.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename.endswith(".png")
    drawn.keyboard.press("Escape")
    assert dialog.count() == 0


def test_a_broken_diagram_is_a_small_card_beside_its_source(drawn):
    figure = diagram(drawn, "order(id)")
    figure.locator(".mermaid-error").wait_for()
    assert re.search(r"could not be drawn", figure.inner_text())
    assert figure.locator("pre").is_visible()
    assert drawn.locator("body > svg, body > [id^=d]").count() == 0, "nothing outside the block"


def test_a_diagram_cannot_loosen_its_own_rules(drawn):
    asked = []
    drawn.on("request", lambda request: asked.append(request.url))
    drawn.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    figure = diagram(drawn, "onerror")
    figure.locator("img, .mermaid-error").first.wait_for()
    source = figure.locator("img").first.get_attribute("src") if figure.locator("img").count() else ""
    assert "foreignObject" not in source and "javascript" not in source and "%3Cimg" not in source
    assert not [url for url in asked if url.endswith("/x") or url.startswith("dialog")]
