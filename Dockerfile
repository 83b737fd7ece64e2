# The build stage has a compiler; the final image does not.
FROM node:22-bookworm AS build
WORKDIR /app
# Compile sqlite3 against this Node's headers: the prebuilt binary needs a newer C library than this Debian has.
ENV npm_config_build_from_source=true npm_config_nodedir=/usr/local
# Dependencies first, so that this layer is cached until they change.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="Self-hosted, multi-tenant persistent memory for AI assistants, over REST and MCP" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    SVC_DATA_DIR=/data \
    SVC_HOST=0.0.0.0 \
    SVC_PORT=8787
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/bin ./bin
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN ln -s /app/bin/svc /usr/local/bin/svc && install -d -o node -g node -m 0700 /data
# The base image's unprivileged user (uid and gid 1000). A host folder mounted at /data must belong to it.
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Run node directly, without a shell or npm, so that it receives SIGTERM, finishes open requests and closes the database.
STOPSIGNAL SIGTERM
CMD ["node", "bin/svc", "serve"]
