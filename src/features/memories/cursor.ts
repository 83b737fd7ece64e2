import { AppError } from '../../contract/errors.ts';
import type { Sealer } from '../../lib/seal.ts';
import { equalSecrets } from '../../lib/secret.ts';

/** Opaque places in a list, bound by a MAC to the tenant and the filter that they were given for. */
export interface Cursors {
  write(place: string, boundTo: readonly unknown[]): string;
  /** Throws `invalid_request` for a cursor that is foreign, altered or of another filter. */
  read(cursor: string, boundTo: readonly unknown[]): string;
}

export function createCursors({ sealer }: { sealer: Sealer }): Cursors {
  const macOf = (place: string, boundTo: readonly unknown[]) =>
    sealer.authenticate(JSON.stringify([place, ...boundTo]), 'cursor').slice(0, 22);
  return {
    write: (place, boundTo) => Buffer.from(`${macOf(place, boundTo)}${place}`).toString('base64url'),
    read(cursor, boundTo) {
      const text = Buffer.from(cursor, 'base64url').toString('utf8');
      const place = text.slice(22);
      if (!equalSecrets(text.slice(0, 22), macOf(place, boundTo))) {
        const errors = [{ path: 'cursor', message: 'is not a cursor of this list' }];
        throw new AppError('invalid_request', 'The cursor does not belong to this list and filter.', { errors });
      }
      return place;
    },
  };
}
