// Starts what the page asks for. Every page works without this file; with it, pages are live.
// @ts-check
import { startClaims } from "./claims.js";
import { startComposer } from "./composer.js";
import { offerCopies, startCopying } from "./copy.js";
import { applyFilter, startFilter } from "./filter.js";
import { Intents, startAsking } from "./intents.js";
import { startKeys } from "./keys.js";
import { Live } from "./live.js";
import { startLinkState } from "./linkstate.js";
import { startMenus } from "./menus.js";
import { drawDiagrams, startDiagrams } from "./mermaid.js";
import { startPatching } from "./patch.js";
import { startTheme } from "./theme.js";
import { setServerClock, showTimes, startTimes } from "./time.js";
import { Timeline } from "./timeline.js";

const page = document.documentElement.dataset;

/** What HTML needs after it came into the page. @param {ParentNode} root */
function decorate(root) {
    showTimes(root);
    offerCopies(root);
    drawDiagrams(root);
}

startTheme();
startTimes();
startPatching();
startCopying();
startMenus();
startFilter();

const section = document.getElementById("timeline");
const timeline = section ? new Timeline(section, decorate) : null;
timeline?.start();
startDiagrams();
startKeys(timeline);

const live = page.live ? new Live(page.live, page.build ?? "") : null;
const intents = new Intents(live);
startAsking(intents);
startComposer(intents, () => timeline?.follow());
if (live) {
    live.on("welcome", ({ now }) => setServerClock(now)).on("pong", ({ now }) => setServerClock(now));
    startLinkState(live);
    startClaims(live, (parts, isNew) => {
        for (const part of parts) decorate(part);
        timeline?.changed(isNew);
        applyFilter();
    });
    live.start();
}
