"""What every page must be, measured in the browser: readable colours, names for all controls, no sideways scrolling, calm
where calm is asked for. WHEELHOUSE_SHOTS=FOLDER keeps a picture of each page."""
import pytest

from wheelhouse import run

PAGES = ["home", "desktop", "session", "share", "shares", "watching", "settings", "missing"]
WIDTHS = [1440, 1024, 390, 320]

#: Text roles and the grounds they stand on; 4.5:1 each, in both schemes.
TEXTS = {
    "--text": ["--canvas", "--surface", "--surface-sunken", "--surface-raised", "--accent-wash", "--added-line", "--removed-line",
               "--added-mark", "--removed-mark", "--mark"],
    "--text-soft": ["--canvas", "--surface", "--surface-sunken", "--terminal"],
    "--text-muted": ["--canvas", "--surface", "--surface-sunken", "--surface-raised", "--accent-wash", "--terminal"],
    "--accent": ["--canvas", "--surface", "--surface-sunken", "--accent-wash"],
    "--on-accent": ["--accent-fill", "--accent-fill-hover"],
    "--good": ["--canvas", "--surface", "--good-wash"], "--warn": ["--canvas", "--surface", "--warn-wash"],
    "--bad": ["--canvas", "--surface", "--bad-wash"], "--info": ["--canvas", "--surface", "--info-wash"],
    **{f"--code-{name}": ["--surface-sunken", "--surface", "--added-line", "--removed-line"] for name in
       ("keyword", "string", "number", "comment", "type", "function", "variable", "tag", "attribute", "punctuation")},
    **{f"--ansi-{number}": ["--terminal"] for number in range(16)},
    **{f"--x{number}": ["--terminal"] for number in range(16, 256)},
}
#: Lines of controls and the ring of the focus: 3:1.
SHAPES = {"--control-line": ["--surface", "--canvas"], "--focus": ["--canvas", "--surface", "--surface-sunken"]}

CONTRAST = """([wanted, least]) => {
    const probe = document.body.appendChild(document.createElement('i'));
    const light = (token) => {
        probe.style.color = `var(${token})`;
        const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
        const [r, g, b] = parts.map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const poor = [];
    for (const [text, grounds] of Object.entries(wanted)) for (const ground of grounds) {
        const [a, b] = [light(text), light(ground)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < least) poor.push(`${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
    probe.remove();
    return poor;
}"""

#: What a screen reader needs; answers the faults in words.
FAULTS = """() => {
    const faults = [], name = (element) => `<${element.localName} class="${element.className}"> ${element.outerHTML.slice(0, 90)}`;
    const isShown = (element) => element.getClientRects().length > 0;
    const labelOf = (element) => (element.getAttribute('aria-label') ?? (element.getAttribute('aria-labelledby')
        ? document.getElementById(element.getAttribute('aria-labelledby'))?.textContent : null) ?? element.textContent ?? '').trim();
    if (!document.documentElement.lang) faults.push('no language');
    if (!document.title) faults.push('no title');
    if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`id ${id} twice`);
    for (const control of document.querySelectorAll('button, a[href], summary, [role=button]')) {
        if (isShown(control) && !labelOf(control) && !control.querySelector('img[alt]:not([alt=""])')) faults.push(`no name: ${name(control)}`);
    }
    for (const field of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
        if (field.matches('.md li.task > input:disabled')) continue; // part of a text, named by it
        if (!field.labels?.length && !field.getAttribute('aria-label')) faults.push(`no label: ${name(field)}`);
    }
    for (const image of document.querySelectorAll('img:not([alt])')) faults.push(`no alt: ${name(image)}`);
    for (const dialog of document.querySelectorAll('dialog, [role=dialog], nav, [role=region], aside')) {
        if (!labelOf(dialog)) faults.push(`no name: ${name(dialog)}`);
    }
    for (const table of document.querySelectorAll('table.table')) if (!table.querySelector('th[scope]')) faults.push('table without heads');
    for (const inside of document.querySelectorAll('a a, a button, button a, button button, summary a[href], summary button')) faults.push(`control in a control: ${name(inside)}`);
    for (const label of document.querySelectorAll('[aria-hidden=true]')) {
        if (label.matches('a, button, input') || label.querySelector('a[href], button, input:not([type=hidden])')) faults.push(`hidden control: ${name(label)}`);
    }
    for (const [index, heading] of [...document.querySelectorAll('main h1')].entries()) if (index > 0 && !heading.closest('.md')) faults.push('two first headings');
    for (const target of document.querySelectorAll('.button, .icon-button, .bar-nav a, .session, summary.block-head')) {
        const box = target.getBoundingClientRect();
        if (isShown(target) && box.height < 24) faults.push(`${Math.round(box.height)} px high: ${name(target)}`);
    }
    return faults;
}"""


@pytest.fixture(scope="module")
def addresses(world):
    home = world.member.text("/")
    desktop = home.split('href="/d/')[1].split('"')[0]
    share = run("share", "--data", world.server.data, "--session", world.path(world.story).split("/")[-1]).stdout.strip()
    return {"home": "/", "desktop": f"/d/{desktop}", "session": world.path(world.story), "shares": "/shares", "watching": "/watching",
            "settings": "/settings", "share": "/share/" + share.split("/share/")[1], "missing": "/nothing/here"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(world, visit, scheme):
    page = visit(color_scheme=scheme).page("/")
    assert page.evaluate(CONTRAST, [TEXTS, 4.5]) == []
    assert page.evaluate(CONTRAST, [SHAPES, 3]) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_width_and_names_its_controls(world, visit, addresses, shots, name):
    for scheme in ("light", "dark"):
        visitor = visit(color_scheme=scheme)
        visitor.expect("404")
        page = visitor.page(addresses[name])
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900 if width > 500 else 760})
            if shots:
                page.wait_for_timeout(600)
                page.screenshot(path=shots / f"{name}-{width}-{scheme}.png")
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 0, f"{name} is {over} px too wide at {width} px"
            assert page.evaluate(FAULTS) == [], f"{name} at {width} px"


def test_the_focus_is_seen_wherever_the_tab_key_leads(world, visit, addresses):
    page = visit().page(addresses["session"])
    page.evaluate("scrollTo(0, 0)")
    unseen, names = [], set()
    for _ in range(40):
        page.keyboard.press("Tab")
        name, is_seen = page.evaluate("""() => {
            const element = document.activeElement, after = getComputedStyle(element, '::after'), style = getComputedStyle(element);
            const ring = (s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1;
            return [element.outerHTML.slice(0, 80), element === document.body || ring(style) || ring(after)];
        }""")
        names.add(name)
        if not is_seen:
            unseen.append(name)
    assert not unseen, unseen
    assert len(names) > 15
    assert any("skip" in name for name in names), "the way past the list comes first"


def test_nothing_moves_where_less_motion_is_asked_for(world, visit, addresses):
    page = visit(reduced_motion="reduce").page(addresses["session"])
    moving = page.evaluate("""() => [...document.querySelectorAll('*')].flatMap((element) => element.getAnimations({ subtree: false }))
        .filter((animation) => animation.playState === 'running').length""")
    assert moving == 0


def test_forced_colours_leave_every_control_a_border(world, visit, addresses):
    page = visit(forced_colors="active").page(addresses["session"])
    widths = page.evaluate("[...document.querySelectorAll('.button, .icon-button')].filter((e) => e.getClientRects().length).map((e) => parseFloat(getComputedStyle(e).borderTopWidth))")
    assert widths and all(width >= 1 for width in widths)
