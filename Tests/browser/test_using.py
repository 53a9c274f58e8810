"""Keyboard, filter, theme, copying on plain HTTP, and everything without scripts."""
import re

import pytest

from test_main_job import wait_live
from wheelhouse import wait_for

#: What a browser lacks on plain HTTP by a LAN address (BR-05a).
PLAIN_HTTP = """
    Object.defineProperty(window, 'isSecureContext', { value: false });
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    Object.defineProperty(crypto, 'randomUUID', { value: undefined });
    window.copied = [];
    document.execCommand = (name) => { window.copied.push(name + ':' + document.activeElement.value); return true; };
"""


def test_blocks_are_walked_by_keys(world, visit):
    page = visit().page(world.path(world.story))
    page.keyboard.press("g")
    page.keyboard.press("j")
    first = page.evaluate("document.querySelector('[data-ui-selected]').id")
    assert page.evaluate("document.activeElement.id") == first, "the focus goes with the selection"
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    second = page.evaluate("document.querySelector('[data-ui-selected]').id")
    assert second != first and page.locator("[data-ui-selected]").count() == 1
    page.keyboard.press("?")
    assert page.get_by_role("dialog", name="Keyboard").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+G")
    wait_for(lambda: page.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY") <= 1, 5, "the end")


def test_the_filter_hides_what_does_not_match(world, visit):
    page = visit().page("/")
    page.keyboard.press("/")
    page.keyboard.type("LOGIN")
    assert page.locator(".session:visible").count() == 1
    assert page.locator(".desktop:visible").count() == 1
    page.keyboard.type(" nowhere")
    assert page.get_by_text("No session matches.").is_visible()
    page.keyboard.press("Escape")
    assert page.locator(".session:visible").count() >= 3
    page.keyboard.press("/")
    page.keyboard.type("build-box")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/s/"))


def test_the_palette_jumps_to_a_session(world, visit):
    page = visit().page("/settings")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Jump to")
    options = page.get_by_role("listbox", name="Sessions and pages").get_by_role("option")
    options.first.wait_for()
    box.fill("fix the login")
    assert options.first.inner_text().startswith("Please fix the login page")
    assert options.first.get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(re.escape(world.path(world.story))))


def test_the_theme_is_kept_and_needs_no_script_on_the_next_page(world, visit):
    page = visit(color_scheme="light").page("/")
    button = page.get_by_role("button", name=re.compile("^Theme"))
    button.click()
    button.click()
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
    assert 'data-theme="dark"' in page.request.get("/").text(), "the server sends it with the page"


def test_copying_works_on_plain_http_and_gives_the_source(world, visit):
    visitor = visit()
    visitor.context.add_init_script(PLAIN_HTTP)
    page = visitor.page(world.path(world.story))
    block = page.locator("[data-kind=assistant]", has_text="What I will change")
    block.hover()
    block.get_by_role("button", name="Copy as Markdown").click()
    wait_for(lambda: page.evaluate("window.copied.length"), 5, "a copy")
    assert "Do you see <agent-notes>?" in page.evaluate("window.copied[0]"), "as it was typed"
    assert "| File | Lines |" in page.evaluate("window.copied[0]")
    code = block.locator("pre", has_text="func answer")
    code.hover()
    page.locator(".copy-float").click()
    wait_for(lambda: page.evaluate("window.copied.length") == 2, 5, "a copy")
    assert page.evaluate("window.copied[1]").startswith('copy:func answer() -> String { "hé" }')
    wait_live(page)


def test_times_are_the_readers_and_never_in_the_future(world, visit):
    page = visit(timezone_id="Asia/Kathmandu").page(world.path(world.story))
    time = page.locator("#timeline .block time.age").first
    wait_for(lambda: "GMT+5:45" in (time.get_attribute("title") or ""), 5, "the zone in the tooltip")
    assert time.get_attribute("datetime").endswith("Z")


# MARK: without scripts


@pytest.fixture
def plain(world, visit):
    return visit(java_script_enabled=False)


def test_everything_can_be_read_and_shared_without_scripts(world, plain):
    page = plain.page("/")
    page.get_by_text("Step 0: go on").first.click()
    assert page.locator("#timeline .block").count() > 20
    last = page.locator("#timeline .block").first.get_attribute("data-seq")
    page.locator(".older-link").click()
    assert int(page.locator("#timeline .block").last.get_attribute("data-seq")) < int(last)
    page.goto(world.path(world.story))
    page.locator("#share-menu > summary").click()
    page.get_by_role("button", name="Make link").click()
    link = page.locator(".secret code").inner_text()
    guest = plain.page(link)
    assert guest.get_by_text("The story ends here.").count() == 1
    page.goto("/shares")
    page.get_by_role("button", name="Revoke").first.click()
    plain.expect("410")
    assert guest.goto(link).status == 410
