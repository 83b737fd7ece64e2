/** Returns the values of all cookies with a name, in the order of the header. */
export function cookiesNamed(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((part) => {
    const [key, value = ''] = part.trim().split('=', 2);
    return key === name ? [value] : [];
  });
}
