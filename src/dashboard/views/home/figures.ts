import type { Conversation, Usage, User } from '../../../client/client.ts';
import { utcDay } from '../../../lib/clock.ts';
import { lastDays } from '../../plots/calendar.ts';

/** The figures at the top of Home, with their values of the last 30 days for a sparkline. */
export interface Figures {
  memories: number;
  memoriesByDay: readonly number[];
  conversations: number;
  messages: number;
  /** Counts the newest conversations only, by their start. */
  conversationsByDay: readonly number[];
  /** Searches and contexts of the last 30 days. */
  searches: number;
  searchesByDay: readonly number[];
  /** How many of them a result was reported to have helped in. */
  useful: number;
  usefulByDay: readonly number[];
}

const DAYS = 30;

/** Adds up what is stored and asked, for all users or for one. Usage is counted for the account as a whole. */
export function figuresOf(
  { usage, users, conversations }: { usage: Usage; users: readonly User[]; conversations: readonly Conversation[] },
  nowMs: number,
): Figures {
  const started = conversations.map(({ createdAt }) => utcDay(Date.parse(createdAt)));
  const byDay = (field: 'memories' | 'queries') =>
    lastDays(new Map(usage.days.map((one) => [one.day, one[field]])), nowMs, DAYS);
  const searchesByDay = byDay('queries');
  const usefulByDay = lastDays(new Map(usage.learning.map((one) => [one.day, one.feedbacks])), nowMs, DAYS);
  return {
    memories: sum(users.map(({ memories }) => memories)),
    memoriesByDay: byDay('memories'),
    conversations: sum(users.map(({ conversations }) => conversations)),
    messages: sum(users.map(({ messages }) => messages)),
    conversationsByDay: lastDays(countsOf(started), nowMs, DAYS),
    searches: sum(searchesByDay),
    searchesByDay,
    useful: sum(usefulByDay),
    usefulByDay,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function countsOf(days: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const day of days) counts.set(day, (counts.get(day) ?? 0) + 1);
  return counts;
}
