// Runs inside the sandboxed frame (opaque origin, no network, no cookies) after mermaid.min.js: takes a diagram's source
// and the page's colours, gives back a drawing as well-formed SVG text, or the reason why not.
// A diagram's own directives may not loosen anything: the secure list below forbids it, and the frame's policy stands
// behind that.
"use strict";

(function () {
    const LONGEST_SOURCE = 50000, MOST_EDGES = 1500;
    const SECURE = ["secure", "securityLevel", "startOnLoad", "maxTextSize", "suppressErrorRendering", "maxEdges", "htmlLabels",
        "flowchart", "fontFamily", "themeCSS", "theme", "themeVariables", "darkMode"];

    /** @param {Record<string, string>} colours @param {boolean} isDark */
    function settings(colours, isDark) {
        const { surface, sunken, text, muted, line, accent, wash, warn } = colours;
        return {
            startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, secure: SECURE, deterministicIds: true,
            maxTextSize: LONGEST_SOURCE, maxEdges: MOST_EDGES, htmlLabels: false, flowchart: { htmlLabels: false },
            fontFamily: "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
            theme: "base", darkMode: isDark,
            themeVariables: {
                darkMode: isDark, background: surface, fontSize: "14px", mainBkg: wash, nodeBorder: accent, clusterBkg: sunken, clusterBorder: line,
                primaryColor: wash, primaryTextColor: text, primaryBorderColor: accent, secondaryColor: sunken, secondaryTextColor: text, secondaryBorderColor: line,
                tertiaryColor: surface, tertiaryTextColor: text, tertiaryBorderColor: line, lineColor: muted, textColor: text, titleColor: text, edgeLabelBackground: surface,
                noteBkgColor: sunken, noteTextColor: text, noteBorderColor: warn, actorBkg: wash, actorBorder: accent, actorTextColor: text, actorLineColor: line,
                signalColor: muted, signalTextColor: text, labelBoxBkgColor: sunken, labelBoxBorderColor: line, labelTextColor: text, loopTextColor: text,
                activationBkgColor: sunken, activationBorderColor: muted, sequenceNumberColor: surface,
                sectionBkgColor: sunken, altSectionBkgColor: surface, gridColor: line, taskBkgColor: wash, taskBorderColor: accent, taskTextColor: text,
                taskTextOutsideColor: text, taskTextDarkColor: text, taskTextLightColor: text, todayLineColor: warn, pieStrokeColor: surface, pieTitleTextColor: text,
                pieSectionTextColor: text, pieLegendTextColor: text, attributeBackgroundColorOdd: surface, attributeBackgroundColorEven: sunken,
            },
        };
    }

    /** @param {string} markup what Mermaid made: HTML's idea of SVG @returns {{svg: string, width: number, height: number}} */
    function wellFormed(markup) {
        const svg = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
        if (!svg) throw new Error("Nothing was drawn.");
        const [, , width, height] = (svg.getAttribute("viewBox") || "0 0 0 0").split(/[\s,]+/).map(Number);
        svg.removeAttribute("style");
        svg.setAttribute("width", String(width));
        svg.setAttribute("height", String(height));
        for (const active of svg.querySelectorAll("script, foreignObject, iframe, object, embed")) active.remove();
        for (const link of svg.querySelectorAll("a")) link.replaceWith(...link.childNodes);
        return { svg: new XMLSerializer().serializeToString(svg), width, height };
    }

    /** @param {unknown} error @returns {{error: string, line?: number}} */
    function reason(error) {
        const text = String((error && /** @type {any} */ (error).message) || error).replace(/\nExpecting [\s\S]*$/, "").trim();
        const line = /** @type {any} */ (error)?.hash?.loc?.first_line ?? Number(/line (\d+)/i.exec(text)?.[1]);
        return { error: text.split("\n").slice(0, 6).join("\n").slice(0, 600), ...(Number.isFinite(line) ? { line } : {}) };
    }

    let count = 0;
    /** Mermaid keeps one configuration for all: one drawing after another. */
    let queue = Promise.resolve();

    addEventListener("message", (event) => {
        if (event.source !== parent) return;
        const { id, source, colours, isDark } = event.data;
        queue = queue.then(async () => {
            /** @type {Record<string, unknown>} */
            let answer;
            try {
                if (typeof source !== "string" || source.length > LONGEST_SOURCE) throw new Error("The diagram is too long.");
                mermaid.initialize(settings(colours, isDark));
                count += 1;
                answer = wellFormed((await mermaid.render(`d${count}`, source)).svg);
            } catch (error) {
                answer = reason(error);
            }
            document.body.replaceChildren();
            parent.postMessage({ id, ...answer }, "*");
        });
    });
    parent.postMessage({ ready: typeof mermaid === "object" }, "*");
})();
