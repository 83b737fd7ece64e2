/** The subset of `Headers` that the client uses. */
export interface ResponseHeaders {
  get(name: string): string | null;
}

export interface FetchResponse {
  ok: boolean;
  status: number;
  headers: ResponseHeaders;
  text(): Promise<string>;
  /** The streamed response, as an alternative to `text`. */
  body: ReadableStream<Uint8Array> | null;
}

export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  /** A stream needs `duplex`. */
  body?: string | Blob | ReadableStream<Uint8Array>;
  duplex?: 'half';
  signal: AbortSignal;
  redirect: 'manual';
}

/** The subset of `fetch` that the client uses. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;
