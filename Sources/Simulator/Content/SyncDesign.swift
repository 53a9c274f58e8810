// studio-mac: a talk about a design, with diagrams, mathematics and tables.

extension Demonstration {
    static let syncDesign = SessionScript(
        id: "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901103",
        title: "How should two edited copies of a note meet?",
        project: "/Users/mira/code/lantern",
        agent: "claudeCode",
        model: opus,
        branch: "main",
        minutesAgo: 88,
        history: [
            .user(
                """
                Notes are edited offline on two devices. What are our choices for bringing the copies together? \
                I want to understand the costs before we pick one.
                """
            ),
            .thinking(
                "Three families: last writer wins, three-way merge with a common ancestor, and a CRDT. Compare by what can be "
                    + "lost, by metadata per character, by effort. Draw the message flow. Then recommend."
            ),
            .assistant(
                #"""
                ## Three ways

                | | can lose text | metadata | offline for weeks | effort |
                |---|---|---|---|---|
                | last writer wins | **yes** | 1 timestamp | fine | a day |
                | three-way merge | no, but asks | the last common text | fine | a week |
                | sequence CRDT | no | 16–40 bytes a character | fine | a month |

                ### What happens in a merge

                ```mermaid
                sequenceDiagram
                    participant P as Phone
                    participant S as Server
                    participant M as Mac
                    P->>S: push(note, base = v7)
                    S-->>P: ok, v8
                    M->>S: push(note, base = v7)
                    S-->>M: conflict, here is v8
                    Note over M: merge(v7, v8, mine)
                    M->>S: push(merged, base = v8)
                    S-->>M: ok, v9
                ```

                The server only compares version numbers; it never looks into a note. That matters, because notes are encrypted.

                ### How often would a person be asked?

                Let a note have $n$ lines and let each side change $k$ of them, independently. A conflict needs a common line:

                $$
                P(\text{conflict}) = 1 - \frac{\binom{n-k}{k}}{\binom{n}{k}} \approx 1 - e^{-k^2/n}
                $$

                For $n = 200$ and $k = 4$ that is about **7.7 %**, and real edits cluster at the end, so I would plan for twice \#
                that.
                """#
            ),
            .user("And if two people append to the same list, which is our main case?", after: 150_000),
            .assistant(
                #"""
                Then a line-based merge asks *every time*, because both sides insert at the same place. Two remedies:

                1. **Treat list items as a set in order**: both insertions are kept, the lower device id first. No question asked.
                2. **A CRDT only for lists.** More machinery than the problem needs.

                I would take the first. As a state machine:

                ```mermaid
                stateDiagram-v2
                    [*] --> Clean
                    Clean --> Edited: local change
                    Edited --> Clean: push accepted
                    Edited --> Behind: push refused
                    Behind --> Edited: merged without questions
                    Behind --> Asking: same line on both sides
                    Asking --> Edited: person decided
                ```

                > [!NOTE]
                > `Asking` must survive a restart: the two texts and the base are kept until the person decides.
                """#
            ),
            .user("Agreed. Write that down as a decision record, short.", after: 95_000),
            .edit(
                "/Users/mira/code/lantern/Docs/decisions/0012-merge.md",
                """
                @@ -0,0 +1,15 @@
                +# 12. Copies of a note meet by three-way merge
                +
                +**Decided**: three-way merge by lines on the device; list items are kept from both sides.
                +
                +**Because** the server cannot read notes, and a CRDT would make them three times as large.
                +
                +**So**
                +- the server keeps a version number per note and refuses a push on an old base;
                +- a device keeps the last common text of every edited note;
                +- a question is asked only when both sides changed the same line;
                +- an unanswered question survives a restart.
                +
                +**Not decided**: attachments. Until then the later one wins, and the earlier one stays in the history.
                +
                +*Reconsider when* more than 2 % of merges ask.
                """,
                kind: "add"
            ),
            .assistant(
                "Written as `Docs/decisions/0012-merge.md`: fifteen lines, with the number that would change our mind."
            ),
            .usage(766, 4_920, cached: 41_300, written: 7_800, micros: 168_900, model: opus),
        ]
    )
}
