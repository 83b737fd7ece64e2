import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../daemon/compose.ts';
import { readConfig } from '../daemon/config.ts';
import { createLog } from '../daemon/log.ts';
import type { ApiDocument } from '../daemon/openapi-document.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { VERSION } from '../version.ts';

/** Returns the OpenAPI document of a daemon that is composed in a temporary folder and listens nowhere. */
export async function composeDocument(): Promise<ApiDocument> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-reference-'));
  try {
    const daemon = await compose(readConfig({ dataDir }, {}, ''), {
      clock: systemClock,
      random: systemRandom,
      log: createLog('silent', () => {}),
      show() {},
      version: VERSION,
      dashboardFiles: new Map(),
      referenceFiles: new Map(),
    });
    try {
      const answer = await daemon.app.inject('/v1/openapi.json');
      return answer.json<ApiDocument>();
    } finally {
      await daemon.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
