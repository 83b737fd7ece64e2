import type { ExportQuery, ImportFormat, ImportReport } from '../contract/portability.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, CreateOptions } from './call-options.ts';
import { type ExportLine, readExportLines } from './export-stream.ts';
import { queryString, type Transport } from './transport.ts';

/** A file to import. */
export type ImportSource = AsyncIterable<Uint8Array | string> | Blob | Uint8Array<ArrayBuffer> | string;

export interface ImportOptions extends CreateOptions {
  /** The format of the file. Defaults to svc's own export. */
  format?: ImportFormat;
  /** The user of entries that name none. */
  user?: string;
  /** Tags added to every memory. */
  tags?: readonly string[];
  /** Called with the number of bytes sent so far. Only a stream reports progress. */
  onProgress?: (bytes: number) => void;
}

/** Calls that move a whole account. */
export function portabilityCalls({ download, upload }: Transport) {
  return {
    /** Yields the whole account as NDJSON lines. Throws `UnreachableError` if the export is truncated. */
    export: (query: ExportQuery = {}, options?: CallOptions): AsyncGenerator<ExportLine> =>
      readExportLines(download(`/v1/export${queryString(query)}`, options)),
    /**
     * Imports a file. Safe to repeat after any failure, because nothing is added twice. A stream is not retried by
     * itself, since it cannot be read again.
     */
    import(source: ImportSource, importOptions: ImportOptions = {}): ApiPromise<ImportReport> {
      const { format, user, tags, onProgress = () => {}, ...options } = importOptions;
      const path = `/v1/import${queryString({ format, user, tag: tags })}`;
      if (typeof source === 'string' || source instanceof Uint8Array || source instanceof Blob) {
        return upload(path, new Blob([source]), options);
      }
      return upload(path, countBytes(source, onProgress), options);
    },
  };
}

async function* countBytes(source: AsyncIterable<Uint8Array | string>, onProgress: (bytes: number) => void) {
  const encoder = new TextEncoder();
  let bytes = 0;
  for await (const chunk of source) {
    const encoded = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    yield encoded;
    bytes += encoded.length;
    onProgress(bytes);
  }
}
