// build-box: two short sessions, one that went well and one that failed.

extension Demonstration {
    private static let folder = "/home/ci/work/images"

    static let containerDiet = SessionScript(
        id: "b2f40b7e-3c55-4e0e-8f0c-5d2b7a901204",
        title: "Make the service image smaller",
        project: folder,
        agent: "claudeCode",
        model: sonnet,
        branch: "small-image",
        minutesAgo: 1_530,
        history: [
            .user("Our service image is 1.4 GB. What is in it, and what can go?"),
            .shell(
                "docker history --format '{{.Size}}\t{{.CreatedBy}}' service:latest | head -8",
                in: folder,
                """
                0B\tENTRYPOINT ["/app/service"]
                212MB\tCOPY . /app
                611MB\tRUN apt-get install -y build-essential python3 git
                402MB\tRUN npm ci
                74.8MB\tdebian:12-slim

                """
            ),
            .edit(
                folder + "/service/Dockerfile",
                """
                @@ -1,9 +1,14 @@
                -FROM debian:12-slim
                -RUN apt-get update && apt-get install -y build-essential python3 git nodejs npm
                +FROM node:24-slim AS build
                 WORKDIR /app
                 COPY package*.json ./
                 RUN npm ci
                -COPY . /app
                -RUN npm run build
                +COPY src ./src
                +RUN npm run build && npm prune --omit=dev
                +
                +FROM node:24-slim
                +WORKDIR /app
                +COPY --from=build /app/dist ./dist
                +COPY --from=build /app/node_modules ./node_modules
                +USER node
                 EXPOSE 8080
                -ENTRYPOINT ["/app/service"]
                +ENTRYPOINT ["node", "dist/service.js"]
                """
            ),
            .assistant(
                """
                From **1.4 GB to 231 MB**, without a smaller base:

                | layer | before | after |
                |---|---:|---:|
                | compilers and git | 611 MB | – |
                | dependencies | 402 MB | 61 MB |
                | our files | 212 MB | 4 MB |
                | base | 75 MB | 166 MB |

                The compilers stay in the build stage. `COPY . /app` had also copied `.git` and the test videos.
                """
            ),
            .usage(480, 1_330, cached: 19_700, written: 2_100, micros: 24_100, model: sonnet),
        ]
    )

    static let diskFull = SessionScript(
        id: "b2f40b7e-3c55-4e0e-8f0c-5d2b7a901205",
        title: "Backfill the search index",
        project: "/home/ci/work/search",
        agent: "codex",
        model: codex,
        branch: "main",
        minutesAgo: 2_940,
        state: "failed",
        history: [
            .user("Backfill the search index for 2024, month by month, and stop at the first problem."),
            .todo("x January\nx February\n> March\n- April to December"),
            .shell(
                "bin/backfill --from 2024-03-01 --to 2024-04-01",
                in: "/home/ci/work/search",
                """
                2024-03-01  \u{1B}[32m████████████████████\u{1B}[0m 100 %  1,204,118 documents
                2024-03-09  \u{1B}[32m████████████████████\u{1B}[0m 100 %  1,377,020 documents
                2024-03-17  \u{1B}[33m████████████\u{1B}[0m░░░░░░░░  61 %
                \u{1B}[31merror:\u{1B}[0m write segment _7f3.fdt: No space left on device (os error 28)

                """,
                exit: 1
            ),
            .shell(
                "df -h /var/lib/search",
                in: "/home/ci/work/search",
                """
                Filesystem      Size  Used Avail Use% Mounted on
                /dev/nvme1n1    500G  500G     0 100% /var/lib/search

                """
            ),
            .failure("disk_full", "The disk of the index is full. I stopped, as you asked; nothing was deleted."),
            .assistant(
                """
                Stopped in March: **the disk is full.** January and February are complete; March up to the 16th is in the \
                index and can stay, the backfill goes on from there.

                Two ways on: a larger disk (a month needs 38 GB, so 350 GB more), or merging the old segments first, which \
                frees about 90 GB and takes five hours.
                """
            ),
        ]
    )
}
