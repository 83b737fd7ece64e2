import { Empty } from '../../parts/empty.tsx';

/** The conversations view. */
export function View() {
  return <Empty icon="home" title="conversations" />;
}
