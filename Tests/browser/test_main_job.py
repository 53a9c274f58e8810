"""The product's main job, seen by a person: pair, open a desktop, open a session, watch it grow, share it, end the share."""
import re
import time

from wheelhouse import run, wait_for

#: Milliseconds from a record's last byte on disk to its text on the page: what 95 of 100 must keep.
SEEN_WITHIN = 150
APPENDS = 50

#: Notes when each marker first stands in the timeline, by the machine's clock.
WATCH = """(() => {
    window.seen = {};
    const look = () => {
        for (const [word] of document.getElementById('timeline').textContent.matchAll(/marker-\\d+-/g)) window.seen[word] ??= Date.now();
    };
    new MutationObserver(look).observe(document.getElementById('timeline'), { childList: true, subtree: true, characterData: true });
})()"""


def texts(page, pattern):
    """Every occurrence of `pattern` in the timeline, in the order shown."""
    return re.findall(pattern, page.evaluate("document.getElementById('timeline').textContent"))


def wait_live(page):
    page.wait_for_selector("#link-state[data-state=live]")


def test_pair_then_open_a_desktop_and_a_session(world, visit):
    link = run("pair", "--data", world.server.data).stdout.strip()
    stranger = visit(cookies=())
    page = stranger.page()
    page.goto(re.sub(r"^https?://[^/]+", world.server.base, link))
    assert page.url.rstrip("/") == world.server.base, "pairing ends at the start page"
    assert {"studio", "build-box"} <= {text.strip() for text in page.locator(".desktop-name").all_inner_texts()}
    page.locator(".desktop-name a", has_text="build-box").click()
    page.get_by_text("Only on the build box").first.click()
    assert page.locator("h1").inner_text() == "Only on the build box"
    assert page.locator("[data-kind=assistant]", has_text="Yes, here.").count() == 1
    wait_live(page)


def test_a_session_shows_every_kind_of_block(world, visit):
    page = visit().page(world.path(world.story))
    page.get_by_text("The story ends here.").wait_for()
    for kind in ("user", "thinking", "assistant", "tool", "output", "edit", "todo", "image", "error"):
        assert page.locator(f"#timeline [data-kind={kind}]").count() > 0, kind
    tool = page.locator("[data-kind=tool]", has_text="npm test")
    tool.locator("summary").first.click()
    assert tool.locator(".a-fg-2", has_text="✓").is_visible()
    assert "50%" not in tool.inner_text(), "a carriage return overwrites"
    assert page.locator("a[href^='javascript:']").count() == 0
    assert page.get_by_text("<agent-notes>").count() == 1
    assert page.locator("math").count() > 0
    counts = page.evaluate("Object.entries(Object.groupBy(document.querySelectorAll('#timeline [data-kind]'), (e) => e.dataset.kind)).map(([k, v]) => [k, v.length])")
    listed = {}
    for block in world.member.json(f"/api/v1/sessions/{world.path(world.story).split('/')[-1]}/blocks?limit=200")["blocks"]:
        listed[block["kind"]] = listed.get(block["kind"], 0) + 1
    assert dict(counts) == listed, "the page shows what the API counts"


def test_new_records_are_seen_at_once_and_in_order(world, visit):
    page = visit().page(world.path(world.quick))
    wait_live(page)
    page.evaluate(WATCH)
    written = {}
    for number in range(APPENDS):
        word = f"marker-{number}-"
        world.quick.answer(f"Here is {word} and a little more")
        written[word] = time.time() * 1000
        wait_for(lambda: page.evaluate("(word) => word in window.seen", word), 10, word)
    seen = page.evaluate("window.seen")
    delays = sorted(seen[word] - at for word, at in written.items())
    p95 = delays[int(len(delays) * 0.95) - 1]
    print(f"\nappend to page, ms: median {delays[len(delays) // 2]:.0f}, p95 {p95:.0f}, most {delays[-1]:.0f}")
    assert texts(page, r"marker-\d+-") == list(written), "each once, in the order written"
    assert p95 < SEEN_WITHIN, delays


def test_a_share_shows_one_session_live_and_ends_when_it_is_revoked(world, visit):
    member, stranger = visit(), visit(cookies=())
    page = member.page(world.path(world.story))
    page.locator("#share-menu > summary").click()
    page.get_by_role("button", name="Make link").click()
    link = page.locator(".secret code").inner_text()
    assert link.startswith(world.server.base + "/share/"), link

    guest = stranger.page(link)
    guest.get_by_text("The story ends here.").wait_for()
    assert guest.locator("form, .composer, .crumbs, .bar-nav, .sidebar").count() == 0, "a share offers nothing to do"
    wait_live(guest)
    world.story.answer("A line for the guest")
    guest.get_by_text("A line for the guest").wait_for(timeout=5000)
    other = world.path(world.other)
    answer = guest.request.get(other, max_redirects=0)
    assert answer.status in (302, 303, 401, 403, 404), "a share opens nothing else"
    assert "Only on the build box" not in answer.text()

    page.goto("/shares")
    page.get_by_role("button", name="Revoke").first.click()
    stranger.expect("410")
    guest.get_by_role("heading", name=re.compile("ended")).wait_for(timeout=5000)
    assert guest.get_by_text("The story ends here.").count() == 0, "nothing of the session stays on the screen"
    answer = guest.goto(link)
    assert answer.status == 410
    assert "no-store" in answer.headers["cache-control"]


def test_after_a_crash_of_the_server_every_record_is_there_once(world, visit):
    visitor = visit()
    visitor.expect("WebSocket connection")
    visitor.expect("ERR_CONNECTION")
    page = visitor.page(world.path(world.other))
    wait_live(page)
    world.other.answer("record-1-")
    page.get_by_text("record-1-").wait_for()
    world.server.process.kill()
    for number in range(2, 8):
        world.other.answer(f"record-{number}-")
    page.wait_for_selector("#link-state:not([data-state=live])")
    world.server.start()
    page.wait_for_selector("#link-state[data-state=live]", timeout=30_000)
    page.get_by_text("record-7-").wait_for(timeout=30_000)
    world.other.answer("record-8-")
    page.get_by_text("record-8-").wait_for(timeout=10_000)
    assert texts(page, r"record-\d-") == [f"record-{number}-" for number in range(1, 9)]
    numbers = page.evaluate("[...document.querySelectorAll('#timeline > [data-seq]')].map((block) => Number(block.dataset.seq))")
    assert numbers == sorted(set(numbers))


def test_a_hidden_tab_gives_its_lease_back_and_misses_nothing(world, visit):
    visitor = visit()
    page = visitor.page(world.path(world.other))
    wait_live(page)
    watching = visitor.page("/watching")
    watching.get_by_role("link", name="Only on the build box").wait_for()
    hide = """(hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    page.evaluate(hide, True)
    wait_for(lambda: "lease, 1" not in watching.goto("/watching").text(), 10, "the end of the lease")
    world.other.answer("while hidden")
    page.evaluate(hide, False)
    page.get_by_text("while hidden").wait_for(timeout=5000)
    assert page.get_by_text("while hidden").count() == 1


def test_where_a_proxy_refuses_websockets_events_and_posts_do(world, visit):
    visitor = visit()
    visitor.context.add_init_script("""window.WebSocket = class {
        constructor() { setTimeout(() => this.onclose?.({ code: 1006, reason: '' })); }
        close() {}
    }""")
    page = visitor.page(world.path(world.other))
    page.wait_for_selector("#link-state[data-state=live]", timeout=20_000)
    world.other.answer("by events")
    page.get_by_text("by events").wait_for(timeout=5000)
