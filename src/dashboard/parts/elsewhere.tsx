import { ApiError } from '../../client/client.ts';
import { hrefWith, spaceOfPage } from '../router.ts';
import { joinedSpaces, OWN_MEMORY } from '../space.ts';

const SHOWN = 8;

/** Leads to an item that was not found here in the other memories of the account: a link may not name the right one. */
export function Elsewhere({ error }: { error: unknown }) {
  const others = [undefined, ...joinedSpaces.value].filter((space) => space?.id !== spaceOfPage);
  if (!(error instanceof ApiError && error.status === 404) || others.length === 0) return null;
  return (
    <p class="notice">
      It may be in another memory. Look in{' '}
      {others.slice(0, SHOWN).map((space, index) => (
        <span key={space?.id}>
          {index > 0 && ', '}
          <a href={hrefWith({ space: space?.id, user: undefined })}>{space?.name ?? OWN_MEMORY.toLowerCase()}</a>
        </span>
      ))}
      .
    </p>
  );
}
