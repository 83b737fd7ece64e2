import { Empty } from '../../parts/empty.tsx';

/** The memories view. */
export function View() {
  return <Empty icon="home" title="memories" />;
}
