import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import { pageHeaders } from '../features/auth/auth-pages.ts';
import { type FileEntry, loadStaticFiles, STATIC, type StaticFiles, staticRoutes } from './static-files.ts';

const PAGE = '/docs';
const FILES: FileEntry[] = [
  [PAGE, 'reference.html', 'text/html; charset=utf-8'],
  ['/docs/reference.js', 'reference.js', 'text/javascript; charset=utf-8'],
  ['/docs/reference.css', 'reference.css', 'text/css; charset=utf-8'],
];

/** Reads the built API reference. Throws if it is not built. */
export function loadReferenceFiles(folder: string): Promise<StaticFiles> {
  return loadStaticFiles('The API reference', folder, FILES);
}

/** Serves the API reference, which is public like the OpenAPI document. */
export function referenceRoutes({ files }: { files: StaticFiles }): FastifyPluginAsync {
  return async (app) => {
    await app.register(staticRoutes(files));
    app.get(`${PAGE}/`, STATIC, (_request, reply) => reply.headers(pageHeaders()).redirect(PAGE, 302));
  };
}
