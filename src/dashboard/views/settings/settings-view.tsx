import { Empty } from '../../parts/empty.tsx';

/** The settings view. */
export function View() {
  return <Empty icon="home" title="settings" />;
}
