import { AppError } from '../../contract/errors.ts';
import type { QuotaName, Tier } from '../../contract/limits.ts';
import { nextUtcDayMs, nextUtcMonthMs, toTimestamp, utcDay } from '../../lib/clock.ts';

/** A tenant whose usage is counted, and the tier that sets its quotas. */
export type MeteredTenant = { tenantId: string; tier: Tier };

/** The UTC day and month in which quotas are counted. */
export function periodOf(nowMs: number): { day: string; monthStart: string } {
  return { day: utcDay(nowMs), monthStart: `${utcDay(nowMs).slice(0, 7)}-01` };
}

/** The error for a quota that is used up, with the time at which it resets. */
export function quotaExceeded(quota: QuotaName, limit: number, used: number, nowMs: number): AppError {
  const resetMs = quota === 'dailyMemories' ? nextUtcDayMs(nowMs) : nextUtcMonthMs(nowMs);
  const resetsAt = toTimestamp(resetMs);
  const period = quota === 'dailyMemories' ? 'memories today' : 'queries this month';
  return new AppError('quota_exceeded', `You have used ${used} of ${limit} ${period}. Resets at ${resetsAt}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
    extra: { quota, limit, used, resetsAt },
  });
}
