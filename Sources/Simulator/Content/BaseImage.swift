// build-box: a session that waits for a person's decision.

import Web

extension Demonstration {
    private static let folder = "/home/ci/work/images"

    static let baseImage = SessionScript(
        id: "b2f40b7e-3c55-4e0e-8f0c-5d2b7a901202",
        title: "Rebuild the base image with the OpenSSL fix",
        project: folder,
        agent: "claudeCode",
        model: sonnet,
        branch: "openssl-fix",
        minutesAgo: 6,
        state: "waitingApproval",
        history: [
            .user(
                "There is a new OpenSSL in Debian. Rebuild our base image with it, check it, and push it as 12.11-2."
            ),
            .shell(
                "docker build --pull -t registry.internal/base:12.11-2 base/",
                in: folder,
                """
                #1 [internal] load build definition from Dockerfile
                #2 [internal] load metadata for docker.io/library/debian:12-slim
                #4 [1/3] FROM docker.io/library/debian:12-slim@sha256:4b50…
                #5 [2/3] RUN apt-get update && apt-get upgrade -y
                #5 6.812 Setting up libssl3:amd64 (3.0.17-1~deb12u3) ...
                #5 DONE 9.4s
                #6 [3/3] RUN apt-get clean && rm -rf /var/lib/apt/lists/*
                #6 DONE 0.4s
                #7 exporting to image
                #7 naming to registry.internal/base:12.11-2 done

                """
            ),
            .shell(
                "docker run --rm registry.internal/base:12.11-2 sh -c 'openssl version; dpkg -l | wc -l'",
                in: folder,
                """
                OpenSSL 3.0.17 1 Jul 2025 (Library: OpenSSL 3.0.17 1 Jul 2025)
                98

                """,
                title: "Check the new image"
            ),
            .assistant(
                """
                The image has OpenSSL **3.0.17** and as many packages as before (98). Pushing makes it the base of every \
                service at its next build, so I ask first.
                """
            ),
            .approval(
                "req-7c21",
                tool: "Bash",
                "Push registry.internal/base:12.11-2",
                input: [
                    "command": "docker push registry.internal/base:12.11-2",
                    "description": "Push the rebuilt base image", "timeout_ms": 120_000,
                ],
                allowed: [
                    .shell(
                        "docker push registry.internal/base:12.11-2",
                        in: folder,
                        """
                        The push refers to repository [registry.internal/base]
                        5f70bf18a086: Layer already exists
                        8e1d4f2c90aa: Pushed
                        c3a2b61f7d10: Pushed
                        12.11-2: digest: sha256:9f0c5be1…d7 size: 948

                        """,
                        pace: 600,
                        takes: 900
                    ),
                    .assistant(
                        "Pushed. The nightly builds pick it up at 02:00; `12.11-1` stays in the registry, so going back is one line."
                    ),
                    .usage(520, 640, cached: 22_800, written: 1_900, micros: 19_400, model: sonnet),
                ],
                denied: [
                    .assistant(
                        """
                        Not pushed. The image stays on this machine as `registry.internal/base:12.11-2`. When you want it:

                        ```sh
                        docker push registry.internal/base:12.11-2
                        ```
                        """
                    )
                ]
            ),
        ]
    )
}
