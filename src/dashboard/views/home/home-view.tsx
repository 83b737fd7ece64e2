import { Empty } from '../../parts/empty.tsx';

/** The home view. */
export function View() {
  return <Empty icon="home" title="home" />;
}
