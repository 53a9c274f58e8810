// The fleet that `wheelhouse serve --demo` shows: three computers, their sessions, and the pictures in them. Everything here
// is invented; the sessions stand in the other files of this folder.

/// What the demonstration consists of.
package enum Demonstration {
    /// The three desktops.
    package static var desktops: [DesktopScript] { [studio, buildBox, laptop] }

    static let studio = DesktopScript(
        id: "5d1c0a52-7c1e-4b6a-9a51-0f6b8a3e1c01",
        name: "studio-mac",
        home: "/Users/mira",
        sessions: [liveOutline, settingsPage, syncDesign, parserSplit, parserSearch],
        pictures: ["settings-dark": settingsPicture]
    )

    static let buildBox = DesktopScript(
        id: "5d1c0a52-7c1e-4b6a-9a51-0f6b8a3e1c02",
        name: "build-box",
        home: "/home/ci",
        sessions: [benchmarkWatch, baseImage, flakyTests, containerDiet, diskFull],
        pictures: [:]
    )

    static let laptop = DesktopScript(
        id: "5d1c0a52-7c1e-4b6a-9a51-0f6b8a3e1c03",
        name: "laptop",
        home: "/home/sam",
        sessions: [flagRename, signupDip, rateLimiter, onboardingMails],
        pictures: ["signups": signupPicture]
    )

    static let opus = "claude-opus-4-5"
    static let sonnet = "claude-sonnet-4-5"
    static let codex = "gpt-5.1-codex"

    /// What a simulated agent says to a visitor's prompt.
    static func answer(to prompt: String) -> [Entry] {
        let first = prompt.split(separator: "\n").first.map { String($0.prefix(80)) } ?? ""
        return [
            .thinking(
                "The visitor wrote: “\(first)”. No model runs behind this desktop; say so, and say what would happen."
            ),
            .assistant(
                """
                This is a **demonstration desktop**: your message arrived, but no agent reads it here.

                On a real computer it would now be with Claude Code or Codex, and you would see, in this order,

                1. what the agent thinks,
                2. each tool that it calls, with output as it is printed,
                3. its edits as patches, and
                4. a request whenever it wants to do something that you did not allow yet.

                Connect one with `wheelhouse desktop --server URL --token T`.
                """
            ),
        ]
    }
}
