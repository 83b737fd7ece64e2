import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '../features/auth/auth-pages.ts';

export interface DashboardFile {
  body: Buffer;
  contentType: string;
  /** Strong entity tag, a hash of the content: the same on every node. */
  etag: string;
}

/** The files of the built dashboard by URL path. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

const PAGE = '/dashboard';
const FILES: [path: string, file: string, contentType: string][] = [
  [PAGE, 'dashboard.html', 'text/html; charset=utf-8'],
  ['/dashboard/dashboard.js', 'dashboard.js', 'text/javascript; charset=utf-8'],
  ['/dashboard/dashboard.css', 'dashboard.css', 'text/css; charset=utf-8'],
  ['/dashboard/code-page.js', 'code-page.js', 'text/javascript; charset=utf-8'],
  ['/dashboard/favicon.svg', 'favicon.svg', 'image/svg+xml'],
];

/** Reads the built dashboard at startup, so that a broken installation fails early. */
export async function loadDashboardFiles(folder: string): Promise<DashboardFiles> {
  const files = new Map<string, DashboardFile>();
  for (const [path, file, contentType] of FILES) {
    const body = await readFile(join(folder, file)).catch((cause: unknown) => {
      throw new Error(`The dashboard is not built: ${join(folder, file)} cannot be read`, { cause });
    });
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    files.set(path, { body, contentType, etag });
  }
  return files;
}

/** Serves the dashboard from memory and redirects `/` to it. Public: the dashboard sends its own key to `/v1`. */
export function dashboardRoutes({ files }: { files: DashboardFiles }): FastifyPluginAsync {
  return async (app) => {
    for (const [path, file] of files) {
      app.get(path, { schema: { hide: true } }, (request, reply) => sendFile(request, reply, file, path === PAGE));
    }
    for (const path of ['/', `${PAGE}/`]) {
      app.get(path, { schema: { hide: true } }, (_request, reply) => reply.headers(pageHeaders()).redirect(PAGE, 302));
    }
  };
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: DashboardFile, isPage: boolean): FastifyReply {
  reply.headers(pageHeaders()).header('content-type', file.contentType).header('etag', file.etag);
  if (!isPage) reply.header('cache-control', 'no-cache');
  if (isFresh(request.headers['if-none-match'], file.etag)) return reply.code(304).send();
  return reply.send(file.body);
}

/** Evaluates `If-None-Match` with weak comparison (RFC 9110, section 13.1.2). */
function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
