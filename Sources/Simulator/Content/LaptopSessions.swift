// laptop: a question that waits, a design with formulas, and a session that was interrupted.

extension Demonstration {
    static let flagRename = SessionScript(
        id: "c3f40b7e-3c55-4e0e-8f0c-5d2b7a901304",
        title: "Give the command line one style of flags",
        project: "/home/sam/tools/pack",
        agent: "claudeCode",
        model: sonnet,
        branch: "flags",
        minutesAgo: 12,
        state: "waitingApproval",
        history: [
            .user("Half of our flags are `--snake_case`, half are `--kebab-case`. Make all of them kebab-case."),
            .search(
                #"--[a-z]+_[a-z_]+"#,
                in: "/home/sam/tools/pack/src",
                "src/cli.rs: 14 matches\nsrc/config.rs: 6 matches\nREADME.md: 9 matches\nci/release.sh: 3 matches"
            ),
            .thinking(
                "Fourteen flags. Scripts of other people use them, `ci/release.sh` for one. Removing the old spelling breaks "
                    + "them. That is not mine to decide."
            ),
            .assistant(
                "Fourteen flags change. Your release script and probably other people's scripts use the old spelling."
            ),
            .question(
                "ask-1",
                "What should happen with the old spelling?",
                options: [
                    "Keep it as a hidden alias, with a warning",
                    "Keep it silently",
                    "Remove it now (next version is 3.0)",
                ]
            ),
        ]
    )

    static let rateLimiter = SessionScript(
        id: "c3f40b7e-3c55-4e0e-8f0c-5d2b7a901302",
        title: "A rate limiter that is fair to bursts",
        project: "/home/sam/tools/gate",
        agent: "codex",
        model: codex,
        branch: "limiter",
        minutesAgo: 1_120,
        history: [
            .user("Explain the token bucket to me, with the formula, and write one in Go that needs no timer."),
            .assistant(
                #"""
                A bucket holds at most $B$ tokens and gains $r$ of them a second. A request takes one, or is refused. No timer is \#
                needed, because the level can be *computed* when somebody asks:

                $$
                \text{level}(t) = \min\bigl(B,\; \text{level}(t_0) + r \cdot (t - t_0)\bigr)
                $$

                In any window of $T$ seconds at most $B + rT$ requests pass: a burst of $B$, then a steady $r$ a second.

                ```mermaid
                flowchart TD
                    A[request] --> B{"level ≥ 1?"}
                    B -- yes --> C[take one, serve]
                    B -- no --> D["429, Retry-After = (1 − level) / r"]
                ```
                """#
            ),
            .edit(
                "/home/sam/tools/gate/bucket.go",
                """
                @@ -0,0 +1,27 @@
                +package gate
                +
                +import "time"
                +
                +// Bucket allows bursts of Burst requests and Rate requests a second on average.
                +// The zero time means a full bucket.
                +type Bucket struct {
                +	Rate, Burst float64
                +	level       float64
                +	at          time.Time
                +}
                +
                +// Take takes a token. When there is none it says how long to wait for one.
                +func (b *Bucket) Take(now time.Time) (ok bool, wait time.Duration) {
                +	if b.at.IsZero() {
                +		b.level = b.Burst
                +	} else {
                +		b.level = min(b.Burst, b.level+b.Rate*now.Sub(b.at).Seconds())
                +	}
                +	b.at = now
                +	if b.level < 1 {
                +		missing := (1 - b.level) / b.Rate
                +		return false, time.Duration(missing * float64(time.Second))
                +	}
                +	b.level--
                +	return true, 0
                +}
                """,
                kind: "add"
            ),
            .shell(
                "go test ./... -run Bucket -v",
                in: "/home/sam/tools/gate",
                """
                === RUN   TestBucketAllowsABurst
                --- PASS: TestBucketAllowsABurst (0.00s)
                === RUN   TestBucketSaysHowLongToWait
                --- PASS: TestBucketSaysHowLongToWait (0.00s)
                === RUN   TestBucketNeverExceedsItsBurst
                --- PASS: TestBucketNeverExceedsItsBurst (0.00s)
                PASS
                ok  	gate	0.003s

                """
            ),
            .assistant("27 lines, no goroutine, no timer, and the time is a parameter, so the tests never sleep."),
            .usage(390, 2_040, cached: 8_800, written: 0, micros: 18_700, model: codex),
        ]
    )

    static let onboardingMails = SessionScript(
        id: "c3f40b7e-3c55-4e0e-8f0c-5d2b7a901303",
        title: "Translate the onboarding mails",
        project: "/home/sam/site",
        agent: "claudeCode",
        model: sonnet,
        branch: "mails",
        minutesAgo: 4_400,
        state: "interrupted",
        history: [
            .user(
                "Translate the five onboarding mails into German, French and Spanish. Keep `{{placeholders}}` untouched."
            ),
            .todo(
                """
                x German
                > French
                - Spanish
                - Check that every placeholder is still there
                """
            ),
            .edit(
                "/home/sam/site/mails/de/welcome.md",
                """
                @@ -0,0 +1,7 @@
                +# Willkommen, {{name}}!
                +
                +Schön, dass du da bist. In drei Schritten ist alles eingerichtet:
                +
                +1. Bestätige deine Adresse: {{confirm_url}}
                +2. Lade dein Team ein.
                +3. Lege dein erstes Projekt an.
                """,
                kind: "add"
            ),
            .assistant("German is done: five mails, 23 placeholders, all of them in place. French comes next."),
            .notice("Interrupted by the user."),
        ]
    )
}
