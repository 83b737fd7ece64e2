import { EXPIRES_SOON_DAYS, type Expiry, type SourceKind } from '../../../contract/memory-filters.ts';

/** What the page calls the kinds of a memory's source. */
export const KIND_TITLES: Record<SourceKind, string> = {
  message: 'A message',
  episode: 'An episode',
  conversation: 'A conversation',
  none: 'Nothing stored here',
};

/** What the page calls the times at which memories expire. */
export const EXPIRY_TITLES: Record<Expiry, string> = {
  soon: `Within ${EXPIRES_SOON_DAYS} days`,
  any: 'At some time',
};
