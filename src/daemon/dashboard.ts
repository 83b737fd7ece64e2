import { readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { VIEW_NAMES } from '../contract/view-names.ts';
import { pageHeaders } from '../features/auth/auth-pages.ts';
import { noSuchPath } from './problems.ts';
import { type FileEntry, loadStaticFiles, STATIC, type StaticFiles, sendFile, staticRoutes } from './static-files.ts';

const PAGE = '/dashboard';
const ASSETS = `${PAGE}/assets`;
const HTML = 'text/html; charset=utf-8';
const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built web app. Throws if it is not built. */
export async function loadDashboardFiles(folder: string): Promise<StaticFiles> {
  const built = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new Error(`The dashboard is not built: ${folder} cannot be read`, { cause });
  });
  const languages = built.flatMap((file) => /^index\.(\w+)\.html$/.exec(file)?.[1] ?? []);
  // The page is the same for all views: its router reads the path.
  const pages = VIEW_NAMES.map((view): FileEntry => {
    return [view === 'home' ? PAGE : `${PAGE}/${view}`, 'index.html', HTML, languages];
  });
  const files = built.flatMap((file): FileEntry[] => {
    const contentType = CONTENT_TYPES[extname(file)];
    return contentType === undefined ? [] : [[`${PAGE}/${file.replaceAll('\\', '/')}`, file, contentType]];
  });
  return loadStaticFiles('The dashboard', folder, [...pages, ...files]);
}

/** Serves the web app and redirects `/` to it. Public: its requests to `/v1` carry their own credential. */
export function dashboardRoutes({ files }: { files: StaticFiles }): FastifyPluginAsync {
  // The page says that there is nothing, to whoever reads it.
  const sendNothing = (request: FastifyRequest, reply: FastifyReply) => {
    if (!/text\/html/.test(request.headers.accept ?? '')) throw noSuchPath();
    return sendFile(request, reply, files.get(PAGE)!, 404);
  };
  return async (app) => {
    await app.register(staticRoutes(new Map([...files].filter(([path]) => !path.startsWith(`${ASSETS}/`)))));
    // One route, because each takes time when the daemon starts.
    app.get<{ Params: { name: string } }>(`${ASSETS}/:name`, STATIC, (request, reply) => {
      const file = files.get(`${ASSETS}/${request.params.name}`);
      return file === undefined ? sendNothing(request, reply) : sendFile(request, reply, file);
    });
    app.get(`${PAGE}/*`, { schema: { hide: true } }, sendNothing);
    for (const path of ['/', `${PAGE}/`]) {
      app.get(path, STATIC, ({ url }, reply) => {
        const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
        return reply.headers(pageHeaders()).redirect(PAGE + query, 302);
      });
    }
  };
}
