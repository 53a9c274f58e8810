"""Reading a long chat: the reader's place is kept within a pixel, whatever comes or grows; pages of older blocks join on."""
import re
import uuid

import pytest

from wheelhouse import wait_for

STATE = """() => ({
    distance: document.documentElement.scrollHeight - document.documentElement.clientHeight - scrollY,
    blocks: document.querySelectorAll('#timeline > [data-seq]').length,
    follow: !document.getElementById('follow').hidden,
})"""
#: The block whose text is the first below the head, and how far its top is from the view's.
EYE = """() => {
    for (let y = document.getElementById('session-head').getBoundingClientRect().bottom + 4; y < innerHeight; y += 4) {
        const block = document.elementFromPoint(innerWidth / 2, y)?.closest('#timeline > .block');
        if (block) return [block.id, block.getBoundingClientRect().top];
    }
}"""
#: Moves the view at once, and looks until two frames agree: between frames, what just came in is not settled yet.
JUMP = f"""async (pixels) => {{
    scrollBy({{ top: pixels, behavior: 'instant' }});
    for (let last = []; ;) {{
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
        const now = ({EYE})();
        if (now[0] === last[0] && now[1] === last[1]) return now;
        last = now;
    }}
}}"""
TOP = "(id) => document.getElementById(id).getBoundingClientRect().top"


@pytest.fixture
def page(world, visit):
    page = visit().page(world.path(world.long))
    page.wait_for_selector("#link-state[data-state=live]")
    return page


@pytest.fixture
def word():
    """A word that no other test writes."""
    return uuid.uuid4().hex[:8]


def scroll(page, pixels):
    """Turns the wheel and waits until the view has arrived."""
    page.mouse.move(600, 400)
    page.mouse.wheel(0, pixels)
    places = []

    def has_arrived():
        places.append(page.evaluate("scrollY"))
        return len(places) > 4 and len(set(places[-4:])) == 1

    wait_for(has_arrived, 5, "the end of a turn of the wheel")


def quiet(page):
    """Waits until nothing grows any more."""
    heights = []

    def is_still():
        heights.append(page.evaluate("document.documentElement.scrollHeight"))
        page.wait_for_timeout(40)
        return len(heights) > 8 and len(set(heights[-8:])) == 1

    wait_for(is_still, 15, "a page that rests")


def test_a_session_opens_at_its_end_and_follows(world, page, word):
    assert page.evaluate(STATE)["distance"] <= 1
    world.long.answer(f"followed line {word}")
    page.get_by_text(f"followed line {word}").wait_for()
    wait_for(lambda: page.evaluate(STATE)["distance"] <= 1, 5, "the end")
    assert not page.evaluate(STATE)["follow"]


def test_new_output_does_not_move_a_reader_who_scrolled_away(world, page, word):
    quiet(page)
    scroll(page, -900)
    block, top = page.evaluate(EYE)
    for number in range(5):
        world.long.answer(f"unfollowed line {number} {word}")
    page.get_by_text(f"unfollowed line 4 {word}").wait_for(state="attached")
    quiet(page)
    assert abs(page.evaluate(TOP, block) - top) <= 1
    button = page.get_by_role("button", name="New output")
    button.click()
    wait_for(lambda: page.evaluate(STATE)["distance"] <= 1, 5, "the end")
    assert button.is_hidden()
    world.long.answer(f"followed again {word}")
    page.get_by_text(f"followed again {word}").wait_for()
    wait_for(lambda: page.evaluate(STATE)["distance"] <= 1, 5, "the end")


def test_scrolling_up_loads_older_pages_and_keeps_the_line_under_the_eye(page):
    quiet(page)
    first = page.evaluate(STATE)["blocks"]
    for _ in range(60):
        before = page.evaluate(STATE)["blocks"]
        block, top = page.evaluate(JUMP, -1500)
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
    visitor = visit()
    # Mermaid's own cleaner parses a hostile label in a dead document; the frame's policy reports even that.
    visitor.expect("policy: script-src-attr inline")
    visitor.expect("Executing inline event handler")
    page = visitor.page(world.path(world.drawings))
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
