const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|)$/;

/**
 * The URL to connect with: TLS with a checked certificate, unless the server is on this machine or the URL's `sslmode`
 * says otherwise.
 */
export function connectionUrl(text: string): string {
  const url = new URL(text);
  const isSocket = url.searchParams.get('host')?.startsWith('/') === true;
  const saysHow = url.searchParams.has('sslmode') || url.searchParams.has('ssl');
  if (!LOCAL.test(url.hostname) && !isSocket && !saysHow) url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}
