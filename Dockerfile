# Two stages: the Swift toolchain builds one binary with the Swift runtime inside; the image that runs holds that binary,
# the browser assets and three system libraries.
#   docker build -t wheelhouse . && docker run -p 8420:8420 -v wheelhouse:/data wheelhouse
FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libssl-dev libz-dev libsqlite3-dev python3 python3-pip \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
# SwiftPM reads the whole manifest, so the folders of the test targets must exist.
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product wheelhouse \
 && install -D -s "$(swift build -c release --static-swift-stdlib --show-bin-path)/wheelhouse" /out/usr/local/bin/wheelhouse
COPY config config
COPY scripts scripts
COPY Public Public
RUN scripts/fetch-vendor && mkdir -p /out/usr/local/share/wheelhouse && cp -R Public config /out/usr/local/share/wheelhouse/

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libssl3 libsqlite3-0 zlib1g libstdc++6 ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /data wheelhouse \
 && install -d -m 0700 -o wheelhouse -g wheelhouse /data
COPY --from=build /out/ /
USER 10001:10001
VOLUME /data
EXPOSE 8420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["wheelhouse", "doctor", "--ready", "http://127.0.0.1:8420"]
ENTRYPOINT ["wheelhouse"]
CMD ["serve", "--listen", "0.0.0.0:8420", "--data", "/data", "--no-local-desktop"]
