import { useErrorBoundary } from 'preact/hooks';
import { UnreachableError } from '../../client/client.ts';
import type { ViewName } from '../../contract/view-names.ts';
import { lookAtDaemon } from '../daemon-state.ts';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Loading } from '../parts/loading.tsx';
import { useResource } from '../resource.ts';
import { hrefOf } from '../router.ts';
import { isOffered } from './rail.tsx';
import { VIEWS } from './views.ts';

/** Loads and shows a view. */
export function Outlet({ view }: { view: ViewName | undefined }) {
  if (view === undefined) {
    return (
      <div class="empty">
        <h2>There is nothing at this address</h2>
        <p>
          <a href={hrefOf('home')}>Go to Home</a>
        </p>
      </div>
    );
  }
  if (!isOffered(view)) {
    return (
      <Empty icon={VIEWS[view].icon} title={`${VIEWS[view].title} is about your own account`}>
        <p>A space has neither keys nor connections: people act in it through their accounts.</p>
        <a class="button" href={hrefOf(view, { space: undefined })}>
          Open it in your memory
        </a>
      </Empty>
    );
  }
  return <LoadedView key={view} view={view} />;
}

/** The daemon serves the modules of the views, too. */
function notLoaded(cause: unknown): never {
  void lookAtDaemon();
  throw new UnreachableError('The view could not be loaded.', { cause });
}

function LoadedView({ view }: { view: ViewName }) {
  const [crash, recover] = useErrorBoundary();
  const { state, reload } = useResource(view, () => VIEWS[view].load().catch(notLoaded));
  const { value, error } = state.value;
  if (crash) return <Failure error={crash} onRetry={recover} />;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (!value) return <Loading label={`Loading ${VIEWS[view].title}`} />;
  return <value.View />;
}
