import { Empty } from '../../parts/empty.tsx';

/** The operator view. */
export function View() {
  return <Empty icon="home" title="operator" />;
}
