import { Empty } from '../../parts/empty.tsx';

/** The map view. */
export function View() {
  return <Empty icon="home" title="map" />;
}
