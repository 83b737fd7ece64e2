# The build stage has a compiler and npm; the final image has neither, only what the archive contains.
FROM node:24-bookworm AS build
WORKDIR /build
# Compile sqlite3 against this Node's headers: the prebuilt binary needs a newer C library than this Debian has.
ENV npm_config_build_from_source=true npm_config_nodedir=/usr/local
# Dependencies first, so that this layer is cached until they change.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run archive && mkdir /svc && tar -xzf release/svc-*.tar.gz -C /svc --strip-components=1

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="Self-hosted, multi-tenant persistent memory for AI assistants, over REST and MCP" \
      org.opencontainers.image.licenses="MIT" \
      io.modelcontextprotocol.server.name="io.github.svc-memory/svc"
ENV SVC_DATA_DIR=/data \
    SVC_HOST=0.0.0.0 \
    SVC_PORT=8787
COPY --from=build /svc /opt/svc
RUN ln -s /opt/svc/svc /usr/local/bin/svc \
    && useradd --uid 1000 --no-create-home --home-dir /data svc \
    && install -d -o svc -g svc -m 0700 /data
# A host folder mounted at /data must belong to this user.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["/opt/svc/runtime/node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The script replaces itself with node, which receives SIGTERM, finishes open requests and closes the database.
STOPSIGNAL SIGTERM
CMD ["svc", "serve"]
