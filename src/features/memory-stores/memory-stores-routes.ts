import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DeletedMemoryFile,
  DeletedMemoryStore,
  FileParams,
  FileVersionParams,
  FileViewQuery,
  MemoryFile,
  MemoryFileChange,
  MemoryFileDeletion,
  MemoryFilePage,
  MemoryFilesQuery,
  MemoryFileVersion,
  MemoryFileVersionPage,
  MemoryFileVersionsQuery,
  MemoryStore,
  MemoryStoreChange,
  MemoryStorePage,
  MemoryStoresQuery,
  NewMemoryFile,
  NewMemoryStore,
  SdkQuery,
  StoreParams,
} from '../../contract/memory-stores.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createOnce } from '../idempotency/idempotency-routes.ts';
import type { MemoryStores } from './memory-stores.ts';

const STORES = '/v1/memory_stores';
const STORE = `${STORES}/:memory_store_id` as const;
const FILES = `${STORE}/memories` as const;
const FILE = `${FILES}/:memory_id` as const;
const VERSIONS = `${STORE}/memory_versions` as const;
const VERSION = `${VERSIONS}/:memory_version_id` as const;

const config = { wire: 'anthropic' } as const;

interface Parts {
  memoryStores: MemoryStores;
  idempotency: Idempotency;
}

/** Memory stores as Anthropic's SDK speaks them. */
export function memoryStoresRoutes({ memoryStores, idempotency }: Parts): FastifyPluginAsyncTypebox {
  return async (app) => {
    const ofStores = { querystring: SdkQuery, response: { 200: MemoryStore } };
    const ofStore = { ...ofStores, params: StoreParams };
    app.post(STORES, { config, schema: { ...ofStores, body: NewMemoryStore } }, (request, reply) =>
      createOnce(idempotency, request, reply, (claim) =>
        memoryStores.createOnce(request.principal, request.body, claim),
      ),
    );
    app.get(
      STORES,
      { config, schema: { querystring: MemoryStoresQuery, response: { 200: MemoryStorePage } } },
      ({ principal, query }) => memoryStores.list(principal, query),
    );
    app.get(STORE, { config, schema: ofStore }, ({ principal, params }) =>
      memoryStores.get(principal, params.memory_store_id),
    );
    app.post(STORE, { config, schema: { ...ofStore, body: MemoryStoreChange } }, ({ principal, params, body }) =>
      memoryStores.change(principal, params.memory_store_id, body),
    );
    app.post(`${STORE}/archive`, { config, schema: ofStore }, ({ principal, params }) =>
      memoryStores.archive(principal, params.memory_store_id),
    );
    app.delete(
      STORE,
      { config, schema: { ...ofStore, response: { 200: DeletedMemoryStore } } },
      async ({ principal, params }) => {
        await memoryStores.remove(principal, params.memory_store_id);
        return { id: params.memory_store_id, type: 'memory_store_deleted' } as const;
      },
    );
    await app.register(fileRoutes({ memoryStores, idempotency }));
    await app.register(versionRoutes(memoryStores));
  };
}

function fileRoutes({ memoryStores: { files }, idempotency }: Parts): FastifyPluginAsyncTypebox {
  return async (app) => {
    const answering = { querystring: FileViewQuery, response: { 200: MemoryFile } };
    const ofFile = { ...answering, params: FileParams };
    app.post(
      FILES,
      { config, schema: { ...answering, params: StoreParams, body: NewMemoryFile } },
      (request, reply) => {
        const { principal, params, body, query } = request;
        const file = { ...body, ...(query.view && { view: query.view }) };
        return createOnce(idempotency, request, reply, (claim) =>
          files.createOnce(principal, params.memory_store_id, file, claim),
        );
      },
    );
    app.get(
      FILES,
      { config, schema: { params: StoreParams, querystring: MemoryFilesQuery, response: { 200: MemoryFilePage } } },
      ({ principal, params, query }) => files.list(principal, params.memory_store_id, query),
    );
    app.get(FILE, { config, schema: ofFile }, ({ principal, params, query }) =>
      files.get(principal, params.memory_store_id, params.memory_id, query.view),
    );
    app.post(FILE, { config, schema: { ...ofFile, body: MemoryFileChange } }, ({ principal, params, body, query }) =>
      files.change(principal, params.memory_store_id, params.memory_id, body, query.view),
    );
    app.delete(
      FILE,
      { config, schema: { params: FileParams, querystring: MemoryFileDeletion, response: { 200: DeletedMemoryFile } } },
      async ({ principal, params, query }) => {
        const { memory_store_id: storeId, memory_id: id } = params;
        await files.remove(principal, storeId, id, query.expected_content_sha256);
        return { id, type: 'memory_deleted' } as const;
      },
    );
  };
}

function versionRoutes({ versions }: MemoryStores): FastifyPluginAsyncTypebox {
  return async (app) => {
    const ofVersion = { params: FileVersionParams, response: { 200: MemoryFileVersion } };
    app.get(
      VERSIONS,
      {
        config,
        schema: { params: StoreParams, querystring: MemoryFileVersionsQuery, response: { 200: MemoryFileVersionPage } },
      },
      ({ principal, params, query }) => versions.list(principal, params.memory_store_id, query),
    );
    app.get(VERSION, { config, schema: { ...ofVersion, querystring: FileViewQuery } }, ({ principal, params, query }) =>
      versions.get(principal, params.memory_store_id, params.memory_version_id, query.view),
    );
    app.post(
      `${VERSION}/redact`,
      { config, schema: { ...ofVersion, querystring: SdkQuery } },
      ({ principal, params }) => versions.redact(principal, params.memory_store_id, params.memory_version_id),
    );
  };
}
