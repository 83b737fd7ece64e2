import { Empty } from '../../parts/empty.tsx';

/** The recall view. */
export function View() {
  return <Empty icon="home" title="recall" />;
}
