import { signal } from '@preact/signals';
import type { Fetch, FetchRequest, FetchResponse } from '../client/client.ts';

/** How much of the file that is being uploaded the browser has sent; undefined while there is none. */
export const uploadProgress = signal<{ sentBytes: number; totalBytes: number } | undefined>(undefined);

let isLeaving = false;
// Registered before the listeners that carry out what still waits for an undo.
addEventListener('pagehide', () => {
  isLeaving = true;
});
addEventListener('pageshow', () => {
  isLeaving = false;
});

/**
 * `fetch`, except that files are sent with `XMLHttpRequest`: only that reports how much has been sent. Requests of a page
 * that is being left outlive it, with bodies of at most 64 KiB.
 */
export const pageFetch: Fetch = (url, request) =>
  request.body instanceof Blob
    ? upload(url, request, request.body)
    : fetch(url, { ...request, keepalive: isLeaving && !(request.body instanceof ReadableStream) });

function upload(url: string, { method, headers, signal: abort }: FetchRequest, body: Blob): Promise<FetchResponse> {
  return new Promise<FetchResponse>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const onAbort = () => {
      request.abort();
      reject(abort.reason);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => {
      uploadProgress.value = { sentBytes: loaded, totalBytes: total };
    };
    request.onload = () => resolve(responseOf(request));
    request.onerror = () => reject(new TypeError('The upload failed.'));
    request.onloadend = () => {
      uploadProgress.value = undefined;
      abort.removeEventListener('abort', onAbort);
    };
    if (abort.aborted) onAbort();
    else {
      abort.addEventListener('abort', onAbort);
      request.send(body);
    }
  });
}

function responseOf(request: XMLHttpRequest): FetchResponse {
  return {
    ok: request.status >= 200 && request.status < 300,
    status: request.status,
    headers: { get: (name) => request.getResponseHeader(name) },
    text: async () => request.responseText,
    body: null,
  };
}
