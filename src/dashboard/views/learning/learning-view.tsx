import { Empty } from '../../parts/empty.tsx';

/** The learning view. */
export function View() {
  return <Empty icon="home" title="learning" />;
}
