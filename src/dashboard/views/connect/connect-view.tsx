import { Empty } from '../../parts/empty.tsx';

/** The connect view. */
export function View() {
  return <Empty icon="home" title="connect" />;
}
