/** How often a model looks for what to tidy. Separate from the schemas, so that importing it loads no schema library. */
export const TIDY_SCHEDULES = ['off', 'daily', 'weekly'] as const;
export type TidySchedule = (typeof TIDY_SCHEDULES)[number];
