import { afterAll, expect, test, vi } from 'vitest';

afterAll(() => void vi.unstubAllGlobals());

test.each(['__proto__', 'constructor', 'toString'])(
  'keeps a parameter named %s while others change, and all values of a repeated one',
  async (name) => {
    vi.stubGlobal('location', { pathname: '/dashboard/memories', search: `?${name}=1&tag=a&tag=b&q=tea` });
    vi.resetModules();
    const { hrefWith } = await import('../../src/dashboard/router.ts');
    expect(hrefWith({ q: undefined })).toBe(`/dashboard/memories?${name}=1&tag=a&tag=b`);
  },
);
