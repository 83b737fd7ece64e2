import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { pageHeaders } from '../features/auth/auth-pages.ts';
import { type FileEntry, loadStaticFiles, type StaticFiles, staticRoutes } from './static-files.ts';

const PAGE = '/dashboard';
const FILES: FileEntry[] = [
  [PAGE, 'dashboard.html', 'text/html; charset=utf-8'],
  ['/dashboard/dashboard.js', 'dashboard.js', 'text/javascript; charset=utf-8'],
  ['/dashboard/dashboard.css', 'dashboard.css', 'text/css; charset=utf-8'],
  ['/dashboard/code-page.js', 'code-page.js', 'text/javascript; charset=utf-8'],
  ['/dashboard/favicon.svg', 'favicon.svg', 'image/svg+xml'],
];

/** Reads the built dashboard. Throws if it is not built. */
export function loadDashboardFiles(folder: string): Promise<StaticFiles> {
  return loadStaticFiles('The dashboard', folder, FILES);
}

/** Serves the dashboard and redirects `/` to it. Public: the dashboard sends its own key to `/v1`. */
export function dashboardRoutes({ files }: { files: StaticFiles }): FastifyPluginAsync {
  return async (app) => {
    await app.register(staticRoutes(files));
    for (const path of ['/', `${PAGE}/`]) {
      app.get(path, { schema: { hide: true } }, (_request, reply) => reply.headers(pageHeaders()).redirect(PAGE, 302));
    }
  };
}
