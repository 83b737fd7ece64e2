# Built with a compiler, run without one.
FROM node:22-bookworm AS build
WORKDIR /app
# sqlite3 from its source, with the headers of this very node: the binary that its authors offer needs a newer C
# library than this Debian has.
ENV npm_config_build_from_source=true npm_config_nodedir=/usr/local
# The packages first: they are built again only when they change.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="Self-hosted, multi-tenant persistent memory for AI assistants, by REST and MCP" \
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
# The unprivileged user of the base image (uid and gid 1000): a folder that is bound to /data must be its.
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm between: node gets SIGTERM itself, finishes what it was asked and closes the database.
STOPSIGNAL SIGTERM
CMD ["node", "bin/svc", "serve"]
