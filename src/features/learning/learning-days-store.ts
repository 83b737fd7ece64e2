import type { Connection, Reader } from '../../db/connection.ts';
import type { LearnedRow } from './learning-store.ts';

type UserKey = Pick<LearnedRow, 'tenantId' | 'endUser'>;

export interface LearningDayRow {
  day: string;
  feedbacks: number;
  shownRanks: number;
  defaultRanks: number;
}

export interface MixtureRow {
  day: string;
  /** JSON: the probability of each expert at the end of the day. */
  mixture: string;
}

/** Adds to the totals of a user's day, and replaces its mixture. */
export async function addLearningDay(
  connection: Connection,
  { tenantId, endUser }: UserKey,
  { day, feedbacks, shownRanks, defaultRanks, mixture }: LearningDayRow & MixtureRow,
): Promise<void> {
  await connection.run(
    `INSERT INTO learningDays (tenantId, endUser, day, feedbacks, shownRanks, defaultRanks, mixture)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenantId, endUser, day) DO UPDATE SET feedbacks = learningDays.feedbacks + excluded.feedbacks,
       shownRanks = learningDays.shownRanks + excluded.shownRanks,
       defaultRanks = learningDays.defaultRanks + excluded.defaultRanks, mixture = excluded.mixture`,
    [tenantId, endUser, day, feedbacks, shownRanks, defaultRanks, mixture],
  );
}

/** Deletes a user's days before `day`. */
export async function deleteLearningDaysBefore(
  connection: Connection,
  { tenantId, endUser }: UserKey,
  day: string,
): Promise<void> {
  const sql = 'DELETE FROM learningDays WHERE tenantId = ? AND endUser = ? AND day < ?';
  await connection.run(sql, [tenantId, endUser, day]);
}

/** The mixtures of a user's days, oldest first. */
export async function listMixtures(reader: Reader, { tenantId, endUser }: UserKey): Promise<MixtureRow[]> {
  return reader.all<MixtureRow>(
    'SELECT day, mixture FROM learningDays WHERE tenantId = ? AND endUser = ? AND mixture IS NOT NULL ORDER BY day',
    [tenantId, endUser],
  );
}

/** Totals over all users of the tenant; days whose feedback named no used result are left out. */
export async function listLearningDays(reader: Reader, tenantId: string, fromDay: string): Promise<LearningDayRow[]> {
  return reader.all<LearningDayRow>(
    `SELECT day, SUM(feedbacks) AS feedbacks, SUM(shownRanks) AS shownRanks, SUM(defaultRanks) AS defaultRanks
     FROM learningDays WHERE tenantId = ? AND day >= ? GROUP BY day HAVING SUM(feedbacks) > 0 ORDER BY day`,
    [tenantId, fromDay],
  );
}
