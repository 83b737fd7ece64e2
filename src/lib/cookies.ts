/** Returns the values of all cookies with a name, in the order of the header. */
export function cookiesNamed(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((part) => {
    const [key, value = ''] = part.trim().split('=', 2);
    return key === name ? [value] : [];
  });
}

/** A cookie that svc gives to a browser. */
export interface NewCookie {
  name: string;
  value: string;
  /** Where it is sent to over http. Over https it is bound to the host instead, which no other host can pretend. */
  path: string;
  sameSite: 'Lax' | 'Strict';
  maxAgeSeconds: number;
}

/** Returns the `Set-Cookie` of a cookie that scripts cannot read, for pages at `publicUrl`. */
export function newCookie({ name, value, path, sameSite, maxAgeSeconds }: NewCookie, publicUrl: string): string {
  const [where, secure] = isHttps(publicUrl) ? ['/', '; Secure'] : [path, ''];
  const attributes = `Path=${where}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
  return `${nameAt(name, publicUrl)}=${value}; ${attributes}`;
}

/** Returns the values of all cookies with a name that `newCookie` made for pages at `publicUrl`. */
export function cookiesAt(header: string | undefined, name: string, publicUrl: string): string[] {
  return cookiesNamed(header, nameAt(name, publicUrl));
}

/** Browsers accept a `__Host-` cookie only over https, for this host alone and for all of its paths. */
function nameAt(name: string, publicUrl: string): string {
  return isHttps(publicUrl) ? `__Host-${name}` : name;
}

/** Whether browsers reach svc over https, so that cookies can be `Secure`. */
export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
