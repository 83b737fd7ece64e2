import type { Space } from '../../../client/client.ts';
import { formatSize } from '../../../contract/byte-size.ts';
import { formatCount } from '../../format.ts';
import { hrefOf, spaceOfPage } from '../../router.ts';

/** The spaces that the account has joined. */
export function SpaceList({ spaces }: { spaces: readonly Space[] }) {
  return (
    <section class="card stack" aria-labelledby="spaces-title">
      <h2 id="spaces-title">Your spaces</h2>
      <ul class="space-rows" aria-label="Your spaces">
        {spaces.map((space) => (
          <li key={space.id} class="card-head">
            <div>
              <p>
                <a href={hrefOf('spaces', { id: space.id })}>
                  <strong>{space.name}</strong>
                </a>{' '}
                <span class="chip">{space.role}</span>
              </p>
              <p class="hint">
                {formatCount(space.members ?? 0, 'member', 'members')} · {formatSize(space.storedBytes ?? 0)} stored
              </p>
            </div>
            <div class="buttons">
              <a class="button" href={hrefOf('spaces', { id: space.id })} aria-label={`Members of ${space.name}`}>
                Members
              </a>
              {space.id === spaceOfPage ? <span class="chip is-accent">shown now</span> : <OpenSpace space={space} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows what is in a space. */
export function OpenSpace({ space }: { space: Space }) {
  const href = hrefOf('home', { space: space.id, user: undefined });
  return (
    <a class="button primary" href={href} aria-label={`Open ${space.name}`}>
      Open
    </a>
  );
}
