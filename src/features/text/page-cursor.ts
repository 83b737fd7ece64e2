import { AppError } from '../../contract/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import { equalSecrets } from '../../lib/secret.ts';

/** Opaque places in a list, bound by a MAC to the tenant and the filter that they were given for. */
export interface Cursors {
  /** Throws `invalid_request` for a cursor that is foreign, altered or of another filter. */
  read(cursor: string, boundTo: readonly unknown[]): string;
  /** The page of a list that was read one item further than `limit`, with the cursor of the next where there is one. */
  page<T>(
    items: readonly T[],
    limit: number,
    boundTo: readonly unknown[],
    placeOf: (item: T) => string,
  ): { data: T[]; nextCursor: string | null };
}

/** 132 bits in base64url. */
const MAC_CHARACTERS = 22;

export function createCursors({ sealer }: { sealer: Sealer }): Cursors {
  const macOf = (place: string, boundTo: readonly unknown[]) =>
    sealer.authenticate(JSON.stringify([place, ...boundTo]), 'cursor').slice(0, MAC_CHARACTERS);
  const write = (place: string, boundTo: readonly unknown[]) =>
    Buffer.from(`${macOf(place, boundTo)}${place}`).toString('base64url');
  return {
    read(cursor, boundTo) {
      const place = Buffer.from(cursor, 'base64url').toString('utf8').slice(MAC_CHARACTERS);
      // The whole cursor is compared: decoding forgives much that was never written.
      if (!equalSecrets(cursor, write(place, boundTo))) {
        const errors = [{ path: 'cursor', message: 'is not a cursor of this list' }];
        throw new AppError('invalid_request', 'The cursor does not belong to this list and filter.', { errors });
      }
      return place;
    },
    page(items, limit, boundTo, placeOf) {
      const data = items.slice(0, limit);
      return { data, nextCursor: items.length > limit ? write(placeOf(data[limit - 1]!), boundTo) : null };
    },
  };
}
