import { Chrono } from 'chrono-node/en';
import { casual as japanese } from 'chrono-node/ja';
import { hans, casual as traditional } from 'chrono-node/zh';
import { calendarWords, componentsFrom, parserOf } from './calendar-words.ts';

/** In kana, which `Intl` does not have; chrono knows the others. */
const KANA_DAYS: Readonly<Record<string, number>> = { おととい: -2, あさって: 2 };
const WEEKDAYS = '月火水木金土日';
const WEEKS = '先今来';

/** Where a text may name a date: half of the names of a day are of Chinese and of Japanese. */
export const EAST_ASIAN_HINT = '[年月日号號天周週曜]|星期|きのう|きょう|あした|あさって|おととい';

/** Chinese and Japanese dates: a short text without kana may be of either. */
export const eastAsian = new Chrono({
  refiners: traditional.refiners,
  parsers: [
    ...['ja', 'zh', 'zh-Hant'].map((code) => calendarWords(code, { isUnspaced: true }).relative),
    parserOf(`(?<day>${Object.keys(KANA_DAYS).join('|')})`, (context, { day = '' }) =>
      componentsFrom(context, 'day', KANA_DAYS[day]!),
    ),
    parserOf(`(?<week>[${WEEKS}])週の?(?<day>[${WEEKDAYS}])曜日?`, (context, { week = '', day = '' }) => {
      const today = (context.reference.getDateWithAdjustedTimezone().getUTCDay() + 6) % 7;
      return componentsFrom(context, 'day', 7 * (WEEKS.indexOf(week) - 1) + WEEKDAYS.indexOf(day) - today);
    }),
    ...traditional.parsers,
    ...hans.casual.parsers,
    ...japanese.parsers,
  ],
});
