import { describe, expect, test } from 'vitest';
import { isBackupDue, outdatedBackups } from '../../src/daemon/backup-folder.ts';
import {
  type BackupSchedule,
  formatBackupSchedule,
  lastDueMs,
  nextDueMs,
  parseBackupSchedule,
} from '../../src/daemon/backup-schedule.ts';

/** A local time. */
const at = (text: string) => Date.parse(text);
const schedule = (text: string) => parseBackupSchedule(text) as BackupSchedule;

describe('a backup schedule', () => {
  test.each([
    ['hourly', 'hourly'],
    ['daily', 'daily 03:00'],
    [' Daily  4:30 ', 'daily 04:30'],
    ['weekly sunday', 'weekly sunday 03:00'],
    ['weekly Friday 23:59', 'weekly friday 23:59'],
    ['off', 'off'],
  ])('%j means %j', (text, meaning) => expect(formatBackupSchedule(parseBackupSchedule(text))).toBe(meaning));

  test.each(['', 'never', 'daily 24:00', 'daily 3', 'weekly', 'weekly 03:00', 'hourly 03:00', 'off now', '0 3 * * *'])(
    'refuses %j',
    (text) => expect(() => parseBackupSchedule(text)).toThrow('"weekly sunday 03:00"'),
  );

  test.each([
    ['hourly', '2026-11-22T14:59', '2026-11-22T14:00', '2026-11-22T15:00'],
    ['daily 03:00', '2026-11-22T02:59', '2026-11-21T03:00', '2026-11-22T03:00'],
    ['daily 03:00', '2026-11-22T03:00', '2026-11-22T03:00', '2026-11-23T03:00'],
    ['daily 03:00', '2026-12-31T12:00', '2026-12-31T03:00', '2027-01-01T03:00'],
    ['weekly sunday 03:00', '2026-11-24T12:00', '2026-11-22T03:00', '2026-11-29T03:00'],
    ['weekly sunday 03:00', '2026-11-22T02:00', '2026-11-15T03:00', '2026-11-22T03:00'],
    ['weekly friday 03:00', '2026-11-22T02:00', '2026-11-20T03:00', '2026-11-27T03:00'],
  ])('%s at %s was last due at %s and is next at %s', (text, now, last, next) => {
    expect(lastDueMs(schedule(text), at(now))).toBe(at(last));
    expect(nextDueMs(schedule(text), at(now))).toBe(at(next));
  });
});

describe('the folder of backups', () => {
  const names = ['svc-2026-11-20T03-00-00Z.db', 'svc-2026-11-22T03-00-05Z.db', 'svc-2026-11-21T03-00-00Z.db'];

  test('needs a backup unless one was started since the last due time', () => {
    const due = (name: string, now: string) => isBackupDue(schedule('hourly'), [name], Date.parse(now));
    expect(due('svc-2026-11-22T03-00-05Z.db', '2026-11-22T03:59:00Z')).toBe(false);
    expect(due('svc-2026-11-22T03-00-05Z.db', '2026-11-22T04:00:00Z')).toBe(true);
    expect(due('mine-2026-11-22T04-00-05Z.db', '2026-11-22T04:01:00Z')).toBe(true);
    expect(isBackupDue(schedule('hourly'), [], 0)).toBe(true);
  });

  test('counts no backup that was made while the clock was wrong', () => {
    const future = 'svc-2031-01-01T03-00-00Z.db';
    const nowMs = Date.parse('2026-11-22T04:10:00Z');
    expect(isBackupDue(schedule('hourly'), [future, ...names], nowMs)).toBe(true);
    const own = 'svc-2026-11-22T04-10-00Z.db';
    expect(isBackupDue(schedule('hourly'), [future, own], nowMs)).toBe(false);
    expect(outdatedBackups([future, own], 1, nowMs)).toEqual([future]);
  });

  test('keeps the newest backups, and all files that svc did not create', () => {
    const others = [
      'notes.txt',
      'svc-2026-11-01T03-00-00Z.db.old',
      'my-svc-2026-11-01T03-00-00Z.db',
      'svc-before-upgrade.db',
    ];
    const nowMs = Date.parse('2026-11-22T04:00:00Z');
    expect(outdatedBackups([...others, ...names], 2, nowMs)).toEqual(['svc-2026-11-20T03-00-00Z.db']);
    expect(outdatedBackups(names, 3, nowMs)).toEqual([]);
  });
});
