import { Empty } from '../../parts/empty.tsx';

/** The activity view. */
export function View() {
  return <Empty icon="home" title="activity" />;
}
