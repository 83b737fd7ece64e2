import { getHeapSpaceStatistics } from 'node:v8';
import { keepNewSpaceSmall, letNewSpaceGrow } from '../../src/daemon/new-space.ts';

// Prints the MiB of V8's space for new objects after many of them lived for a while: kept small, then allowed to grow.
function fillNewSpace(): number {
  for (let round = 0; round < 20; round += 1) Array.from({ length: 200_000 }, (_, index) => ({ index }));
  const { space_size: bytes } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')!;
  return bytes / 1024 / 1024;
}

keepNewSpaceSmall();
const small = fillNewSpace();
letNewSpaceGrow();
process.stdout.write(JSON.stringify({ small, grown: fillNewSpace() }));
