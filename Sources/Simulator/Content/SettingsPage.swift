// studio-mac: a TypeScript session about a page, with a picture of it.

import Web

extension Demonstration {
    private static let folder = "/Users/mira/code/atlas-web"

    static let settingsPage = SessionScript(
        id: "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901102",
        title: "Settings page: keyboard and dark mode",
        project: folder,
        agent: "claudeCode",
        model: sonnet,
        branch: "settings-a11y",
        minutesAgo: 34,
        history: [
            .user(
                "The settings page cannot be used with the keyboard: the switches are divs. Fix that, and check dark mode."
            ),
            .read(folder + "/src/settings/Switch.tsx", lines: 48),
            .thinking(
                "A switch is a checkbox with another look. A real `<input type=\"checkbox\" role=\"switch\">` brings focus, "
                    + "space key, form value and state for free. The div becomes decoration."
            ),
            .edit(
                folder + "/src/settings/Switch.tsx",
                """
                @@ -5,11 +5,18 @@ interface SwitchProps {
                   onChange(on: boolean): void;
                 }
                 
                -export function Switch({ label, on, onChange }: SwitchProps) {
                -  return (
                -    <div className="switch" onClick={() => onChange(!on)}>
                -      <div className={on ? "knob on" : "knob"} />
                -      <span>{label}</span>
                -    </div>
                -  );
                -}
                +export function Switch({ label, on, onChange }: SwitchProps) {
                +  const id = useId();
                +  return (
                +    <div className="switch">
                +      <input
                +        id={id}
                +        type="checkbox"
                +        role="switch"
                +        checked={on}
                +        onChange={(event) => onChange(event.currentTarget.checked)}
                +      />
                +      <label htmlFor={id}>{label}</label>
                +    </div>
                +  );
                +}
                """
            ),
            .edit(
                folder + "/src/settings/switch.css",
                """
                @@ -1,2 +1,10 @@
                -.switch .knob { background: #fff; border: 1px solid #ccc; }
                -.switch .knob.on { background: #2b7; }
                +.switch input {
                +  appearance: none;
                +  inline-size: 2.5rem;
                +  block-size: 1.5rem;
                +  border-radius: 1rem;
                +  background: var(--surface-3);
                +  transition: background var(--quick);
                +}
                +.switch input:checked { background: var(--accent); }
                +.switch input:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
                """
            ),
            .shell(
                "pnpm test settings && pnpm exec playwright test settings --project=dark",
                in: folder,
                """
                \u{1B}[1m\u{1B}[36m RUN \u{1B}[0m v3.2.4 \u{1B}[2m/Users/mira/code/atlas-web\u{1B}[0m

                 \u{1B}[32m✓\u{1B}[39m src/settings/Switch.test.tsx \u{1B}[2m(6 tests)\u{1B}[22m \u{1B}[33m41ms\u{1B}[39m
                 \u{1B}[32m✓\u{1B}[39m src/settings/Page.test.tsx \u{1B}[2m(11 tests)\u{1B}[22m \u{1B}[33m88ms\u{1B}[39m

                 \u{1B}[2mTest Files\u{1B}[22m  \u{1B}[1m\u{1B}[32m2 passed\u{1B}[39m\u{1B}[22m (2)
                 \u{1B}[2m     Tests\u{1B}[22m  \u{1B}[1m\u{1B}[32m17 passed\u{1B}[39m\u{1B}[22m (17)

                Running 4 tests using 2 workers
                  \u{1B}[32m✓\u{1B}[39m  1 settings › every control is reachable by Tab \u{1B}[2m(1.1s)\u{1B}[22m
                  \u{1B}[32m✓\u{1B}[39m  2 settings › Space toggles a switch \u{1B}[2m(812ms)\u{1B}[22m
                  \u{1B}[32m✓\u{1B}[39m  3 settings › focus ring has 3:1 contrast in dark mode \u{1B}[2m(930ms)\u{1B}[22m
                  \u{1B}[32m✓\u{1B}[39m  4 settings › nothing is clipped at 320 px \u{1B}[2m(1.4s)\u{1B}[22m
                  4 passed (3.9s)

                """,
                title: "Run unit and browser tests"
            ),
            .tool(
                "Screenshot",
                "Look at the page in dark mode",
                input: ["url": "http://localhost:5173/settings", "color_scheme": "dark", "width": 480],
                takes: 1_200,
                [
                    .picture(
                        "settings-dark",
                        "The settings page in dark mode: a list of switches, the second one focused"
                    )
                ]
            ),
            .assistant(
                """
                The switches are real checkboxes now. With the keyboard:

                | key | what happens |
                |---|---|
                | <kbd>Tab</kbd> | moves to the next switch, with a visible ring |
                | <kbd>Space</kbd> | toggles it |
                | <kbd>Enter</kbd> | submits the form, as in every form |

                In dark mode the old knob was white on `#eee`. All colours come from tokens now; the ring has a contrast of \
                **4.6 : 1** against the surface.
                """
            ),
            .user("The picture looks right. Does a screen reader say “switch, on”?", after: 120_000),
            .assistant(
                "Yes: `role=\"switch\"` on a checkbox keeps `checked` as its state, so NVDA and VoiceOver both say “*Weekly "
                    + "digest, switch, on*”. I added a test that reads the accessibility tree:\n\n```ts\n"
                    + "await expect(page.getByRole(\"switch\", { name: \"Weekly digest\" })).toBeChecked();\n```"
            ),
            .usage(902, 3_410, cached: 88_030, written: 9_105, micros: 84_700, model: sonnet),
        ]
    )

    /// A dark page with five switches.
    static let settingsPicture: [UInt8] = {
        var page = Picture(
            width: 480,
            height: 320,
            palette: [0x11141A, 0x1B2029, 0x2A313D, 0x4ADE9C, 0xE8EBF0, 0x8A94A6, 0x39424F, 0x6FA8FF]
        )
        page.fill(0, 0, 480, 44, 1)
        page.card(20, 14, 120, 16, radius: 4, 4)
        page.card(400, 12, 60, 20, radius: 10, 2)
        for row in 0..<5 {
            let y = 62 + row * 50
            page.card(16, y, 448, 42, radius: 8, 1)
            page.card(32, y + 10, [150, 118, 176, 96, 140][row], 9, radius: 3, 4)
            page.card(32, y + 25, [210, 240, 190, 170, 226][row], 6, radius: 3, 5)
            let isOn = row == 0 || row == 1 || row == 3
            if row == 1 { page.card(401, y + 6, 54, 30, radius: 15, 7) }
            page.card(404, y + 9, 48, 24, radius: 12, isOn ? 3 : 6)
            page.card(isOn ? 430 : 407, y + 12, 19, 18, radius: 9, 4)
        }
        return page.png()
    }()
}
