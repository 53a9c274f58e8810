// laptop: a Python session over data, with a table and a chart.

import Web

extension Demonstration {
    private static let folder = "/home/sam/analysis"

    static let signupDip = SessionScript(
        id: "c3f40b7e-3c55-4e0e-8f0c-5d2b7a901301",
        title: "Why did sign-ups dip in March?",
        project: folder,
        agent: "claudeCode",
        model: opus,
        minutesAgo: 420,
        history: [
            .user("Sign-ups fell in March. `data/signups.csv` has one row per visit. What happened?"),
            .shell(
                "head -3 data/signups.csv && wc -l data/signups.csv",
                in: folder,
                """
                day,source,device,reached_form,signed_up
                2025-01-01,search,phone,1,0
                2025-01-01,direct,desktop,1,1
                418223 data/signups.csv

                """
            ),
            .thinking(
                "Split visits, form rate and sign-up rate per week and device: which of the three moved, and for whom?"
            ),
            .edit(
                folder + "/funnel.py",
                """
                @@ -0,0 +1,17 @@
                +import pandas as pd
                +
                +visits = pd.read_csv("data/signups.csv", parse_dates=["day"])
                +visits["week"] = visits["day"].dt.to_period("W").dt.start_time
                +
                +funnel = (
                +    visits.groupby(["week", "device"])
                +    .agg(visits=("day", "size"), form=("reached_form", "mean"), signed=("signed_up", "sum"))
                +    .assign(rate=lambda table: table["signed"] / table["visits"])
                +    .reset_index()
                +)
                +
                +if __name__ == "__main__":
                +    recent = funnel[funnel["week"] >= "2025-02-17"]
                +    print(recent.pivot(index="week", columns="device", values="rate").round(4))
                +    axes = funnel.pivot(index="week", columns="device", values="rate").plot()
                +    axes.figure.savefig("funnel.png", dpi=120)
                """,
                kind: "add"
            ),
            .shell(
                "python3 funnel.py",
                in: folder,
                """
                device      desktop   phone  tablet
                week
                2025-02-17   0.0612  0.0488  0.0501
                2025-02-24   0.0608  0.0491  0.0497
                2025-03-03   0.0615  0.0214  0.0496
                2025-03-10   0.0611  0.0209  0.0502
                2025-03-17   0.0609  0.0486  0.0498

                """
            ),
            .tool(
                "Read",
                "Look at funnel.png",
                input: ["file_path": .string(folder + "/funnel.png")],
                [
                    .picture("signups", "Sign-up rate per week: phones fall to less than half for two weeks in March")
                ]
            ),
            .assistant(
                """
                **Only phones, only from 3 to 16 March.** Desktop and tablet did not move, and as many people came as before:

                | | visits | reached the form | signed up |
                |---|---:|---:|---:|
                | phones, February | 21,840 | 38.1 % | 4.9 % |
                | phones, 3–16 March | 22,015 | 37.9 % | **2.1 %** |

                They reached the form and could not finish it. So it is something *in* the form on small screens.
                """
            ),
            .user("What was released on the 3rd?", after: 45_000),
            .shell(
                "git -C ../site log --since=2025-03-02 --until=2025-03-17 --format='%as %h %s' -- src/signup",
                in: folder,
                """
                2025-03-16 d01f7aa Sign-up: put the button above the keyboard
                2025-03-03 77c9e12 Sign-up: fixed footer with the button

                """
            ),
            .assistant(
                """
                The two commits fit to the day:

                - **3 March**, `77c9e12`: the button moved into a fixed footer. On phones the keyboard covers it.
                - **16 March**, `d01f7aa`: the button is above the keyboard again.

                Cost: about $2 \\times 11{,}000 \\times (4.9 - 2.1)\\,\\% \\approx 620$ sign-ups.
                """
            ),
            .usage(1_020, 3_870, cached: 61_200, written: 8_800, micros: 133_000, model: opus),
        ]
    )

    /// Three lines over weeks; one of them dips.
    static let signupPicture: [UInt8] = {
        var chart = Picture(
            width: 480,
            height: 280,
            palette: [0xFFFFFF, 0xE3E7ED, 0x4C78A8, 0xF58518, 0x54A24B, 0x555B66]
        )
        for row in 0..<5 { chart.fill(48, 30 + row * 50, 412, 1, 1) }
        chart.fill(48, 20, 1, 212, 5)
        chart.fill(48, 231, 412, 1, 5)
        func draw(_ rates: [Int], _ colour: UInt8) {
            for week in 1..<rates.count {
                let from = (x: 20 + week * 32, y: 240 - rates[week - 1] * 3 / 10)
                chart.line(from: (from.x + 8, from.y), to: (from.x + 40, 240 - rates[week] * 3 / 10), colour)
            }
        }
        draw([604, 611, 607, 615, 609, 612, 606, 612, 608, 615, 611, 609, 613], 2)
        draw([486, 490, 483, 489, 492, 487, 490, 488, 491, 214, 209, 486, 489], 3)
        draw([499, 503, 497, 500, 505, 498, 496, 501, 497, 496, 502, 498, 500], 4)
        for (place, colour) in [(0, 2), (1, 3), (2, 4)] as [(Int, UInt8)] {
            chart.fill(70 + place * 110, 250, 18, 10, colour)
            chart.card(94 + place * 110, 252, 60, 7, radius: 3, 5)
        }
        return chart.png()
    }()
}
