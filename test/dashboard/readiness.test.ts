import { describe, expect, test } from 'vitest';
import { DISK_FULL, describeState, judgeReadiness, UNREACHABLE, WELL } from '../../src/dashboard/readiness.ts';

const notReady = (checks: Record<string, string>, wasFull = false) =>
  judgeReadiness({
    status: 503,
    body: { checks: { accepting: 'ok', database: 'ok', disk: 'ok', ...checks } },
    wasFull,
  });

describe('the state of the daemon', () => {
  test('is read only while the database cannot be written, and says why', () => {
    expect(notReady({ database: 'not writable' })).toMatchObject({
      kind: 'readOnly',
      reason: expect.stringMatching(/database/),
    });
    expect(notReady({ database: 'not writable', disk: '0 MiB free' })).toEqual(DISK_FULL);
    expect(notReady({ accepting: 'stopping' })).toMatchObject({ kind: 'readOnly' });
  });

  test('is read only for an empty disk once a change was refused, and until there is some space', () => {
    expect(notReady({ disk: '0 MiB free' })).toMatchObject({ kind: 'warned' });
    expect(notReady({ disk: '0 MiB free' }, true)).toEqual(DISK_FULL);
    expect(notReady({ disk: '1 MiB free' }, true)).toMatchObject({ kind: 'warned' });
  });

  test('is a warning where changes are stored all the same', () => {
    expect(notReady({ clock: "40 s behind the database's" })).toMatchObject({ kind: 'warned' });
    const body = { status: 'ready', checks: { database: 'ok' }, backup: 'failing' };
    expect(judgeReadiness({ status: 200, body, wasFull: false })).toMatchObject({ kind: 'warned' });
    expect(notReady({ disk: '63 MiB free' })).toEqual(notReady({ disk: '62 MiB free' }));
  });

  test('is unreachable behind a proxy that answers for it, and well where nothing is known', () => {
    for (const status of [502, 503, 504]) {
      expect(judgeReadiness({ status, body: undefined, wasFull: false })).toEqual(UNREACHABLE);
    }
    for (const status of [200, 404]) expect(judgeReadiness({ status, body: undefined, wasFull: false })).toEqual(WELL);
  });

  test('is described unless it is well', () => {
    expect(describeState(WELL)).toBeUndefined();
    expect(describeState(DISK_FULL)?.title).toBe('svc cannot store anything: its disk is full.');
    expect(describeState(UNREACHABLE)?.title).toBe('svc does not respond.');
  });
});
