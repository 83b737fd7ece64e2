import { casual as german } from 'chrono-node/de';
import { casual as english, type ParsedResult } from 'chrono-node/en';
import { casual as spanish } from 'chrono-node/es';
import { casual as french } from 'chrono-node/fr';
import { casual as italian } from 'chrono-node/it';
import { casual as japanese } from 'chrono-node/ja';
import { casual as dutch } from 'chrono-node/nl';
import { casual as portuguese } from 'chrono-node/pt';
import { casual as russian } from 'chrono-node/ru';
import { casual as chinese } from 'chrono-node/zh';
import { toDate } from '../../lib/clock.ts';
import { polish } from './polish-dates.ts';

/** A language whose dates are understood. ISO dates are understood in each. */
type DateLanguage = 'en' | 'de' | 'es' | 'fr' | 'it' | 'nl' | 'pt' | 'pl' | 'ru' | 'zh' | 'ja';

const PARSERS = {
  ...{ en: english, de: german, es: spanish, fr: french, it: italian, nl: dutch, pt: portuguese },
  ...{ pl: polish, ru: russian, zh: chinese, ja: japanese },
};

/**
 * Words that announce a date. Those of other languages than English are chosen so that they hardly occur in English or in
 * each other: German "morgen" is also a morning, French "hier" also German.
 */
const HINTS: Record<Exclude<DateLanguage, 'zh' | 'ja'>, string> = {
  en: String.raw`yesterday|today|tonight|tomorrow|last|next|past|ago|weekend|this (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:19|20)\d\d|\d{1,2}[/.\-]\d{1,2}`,
  de: String.raw`(?:vor)?gestern|heute|übermorgen|(?:letzte|nächste)[nrs]? (?:woche(?:nende)?|monat|jahr)|vor \p{L}+ (?:tag|woche|monat|jahr)e?n|\d{1,2}\. ?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)`,
  es: String.raw`(?:ante)?ayer|hoy|\d{1,2} de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)`,
  fr: String.raw`avant-hier|hier (?:soir|matin)|aujourd['’]hui|(?:semaine|année) (?:dernière|prochaine)|mois (?:dernier|prochain)|il y a \p{L}+ (?:jour|semaine|mois|an)s?|\d{1,2}(?:er)? (?:janvier|février|avril|juillet|août|septembre|octobre|novembre|décembre)|(?:le|du|au) \d{1,2} (?:mars|mai|juin)`,
  it: String.raw`ieri|oggi|domani|settimana scorsa|(?:mese|anno) scorso|\d{1,2} (?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)`,
  nl: String.raw`(?:eer)?gisteren|vandaag|vorige (?:week|maand)|vorig jaar|\d{1,2} (?:januari|februari|maart|mei|juni|juli|augustus|oktober)`,
  pt: String.raw`(?:ante)?ontem|hoje|amanhã|\d{1,2} de (?:janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro)`,
  pl: String.raw`(?:przed)?wczoraj|dziś|dzisiaj|jutro|pojutrze|\p{L}+ temu|w (?:zeszłym|ubiegłym) (?:tygodniu|miesiącu|roku)|\d{1,2} (?:stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia)`,
  ru: String.raw`(?:поза)?вчера|сегодня|(?:после)?завтра|\p{L}+ назад|(?:на )?(?:прошлой|следующей) неделе|в прошлом (?:месяце|году)|\d{1,2} (?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)`,
};
/** Without spaces between words. Some are of both languages. */
const UNSPACED_HINTS = String.raw`(?<ja>昨日|今日|明日|一昨日|先週|来週|先月|来月|昨年)|(?<zh>昨天|今天|明天|前天|后天|上周|下周|上个月|下个月|去年|\d{1,2}月\d{1,2}[日号]|\p{sc=Han}天前)`;

const HINT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${Object.entries(HINTS)
    .map(([language, words]) =>
      language === 'en' ? `(?<en>${words})` : String.raw`(?<${language}>(?:${words})(?!\p{L}))`,
    )
    .join('|')})|${UNSPACED_HINTS}`,
  'giu',
);

interface DateHint {
  index: number;
  length: number;
  language: DateLanguage;
}

/** Finds where a text may name a date, and in which language. */
function* dateHints(text: string): Generator<DateHint> {
  for (const { index, 0: hint, groups } of text.matchAll(HINT)) {
    const [language] = Object.entries(groups!).find(([, found]) => found !== undefined)!;
    yield { index, length: hint.length, language: language as DateLanguage };
  }
}

/** Parses the dates of a text; relative ones are resolved against `referenceMs`. */
function parseDates(text: string, language: DateLanguage, referenceMs: number): ParsedResult[] {
  return PARSERS[language].parse(text, { instant: toDate(referenceMs), timezone: 0 });
}

/** Days since the Unix epoch in UTC, both inclusive. */
export type DayRange = readonly [from: number, to: number];

/** A date in a query: a range of days, or a day or month of any year. */
export type QueryDate = { range: DayRange } | { month: number; day: number | undefined };

export const DAY_MS = 86_400_000;
/** Most texts have no date and parsing is slow: this many characters around a hint are parsed, of this many hints. */
const HINT_MARGIN = 40;
const MAX_HINTS = 8;
const MAX_DATES = 8;
const MAX_RANGE_DAYS = 62;
const YEAR = /\b(?:19|20)\d\d\b/g;

/** The dates a text mentions, relative ones ("last Friday") resolved against the day it was written. */
export function datesIn(text: string, writtenAtMs: number): DayRange[] {
  const ranges = snippetsOf(text).flatMap(({ snippet, language }) => {
    const found = parseDates(snippet, language, writtenAtMs);
    return [...found.map((date) => rangeOf(date)), ...remainingYears(found, snippet)];
  });
  const distinct = new Map(ranges.map((range) => [range.join(), range]));
  return [...distinct.values()].slice(0, MAX_DATES);
}

/** The dates a query asks for. */
export function queryDates(query: string, nowMs: number): QueryDate[] {
  return snippetsOf(query).flatMap(({ snippet, language }) => {
    const found = parseDates(snippet, language, nowMs);
    const dates = found.flatMap((date): QueryDate[] => {
      const isYearless = date.start.isCertain('month') && !date.start.isCertain('year');
      if (!isYearless) return [{ range: rangeOf(date) }];
      return [date.start, date.end ?? []].flat().map((endpoint) => {
        return { month: endpoint.get('month')!, day: endpoint.isCertain('day') ? endpoint.get('day')! : undefined };
      });
    });
    return [...dates, ...remainingYears(found, snippet).map((range) => ({ range }))];
  });
}

/** Days between the date asked for and a range; 0 where they overlap. */
export function daysApart(date: QueryDate, [from, to]: DayRange): number {
  if ('range' in date) return Math.max(0, date.range[0] - to, from - date.range[1]);
  const year = toDate(from * DAY_MS).getUTCFullYear();
  const gaps = [year - 1, year, year + 1].map((candidate) => {
    const [first, last] = inYear(date, candidate);
    return Math.max(0, first - to, from - last);
  });
  return Math.min(...gaps);
}

/** The months that the ranges touch. A range longer than two months is not specific enough and is left out. */
export function monthsOf(ranges: readonly DayRange[]): { year: number; month: number }[] {
  const months = ranges
    .filter(([from, to]) => to - from <= MAX_RANGE_DAYS)
    .flatMap(([from, to]) => {
      const [first, last] = [monthCountOf(from), monthCountOf(to)];
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  return [...new Set(months)].map((count) => ({
    year: Math.floor(count / 12),
    month: count - 12 * Math.floor(count / 12) + 1,
  }));
}

function monthCountOf(day: number): number {
  const date = toDate(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function inYear({ month, day }: { month: number; day: number | undefined }, year: number): DayRange {
  if (day !== undefined) return [dayOf(year, month, day), dayOf(year, month, day)];
  return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
}

/** The text around each hint, merged where it overlaps. Another language than English decides for all of it. */
function snippetsOf(text: string): { snippet: string; language: DateLanguage }[] {
  const snippets: { from: number; to: number; language: DateLanguage }[] = [];
  let hints = 0;
  for (const { index, length, language } of dateHints(text)) {
    hints += 1;
    if (hints > MAX_HINTS) break;
    const [from, to] = [Math.max(0, index - HINT_MARGIN), index + length + HINT_MARGIN];
    const last = snippets.at(-1);
    if (last && from <= last.to) {
      last.to = to;
      if (last.language === 'en') last.language = language;
    } else snippets.push({ from, to, language });
  }
  return snippets.map(({ from, to, language }) => ({ snippet: text.slice(from, to), language }));
}

/** The range is as wide as the wording: a day, a weekend, a week, a month or a year. */
function rangeOf({ start, end, text }: Pick<ParsedResult, 'start' | 'end' | 'text'>): DayRange {
  const [year, month, day] = [start.get('year')!, start.get('month')!, start.get('day')!];
  const at = dayOf(year, month, day);
  if (end) return [at, Math.max(at, dayOf(end.get('year')!, end.get('month')!, end.get('day')!))];
  if (/weekend|wochenende/i.test(text)) return [at - 1, at + 1];
  if (/week|woche|semaine|settimana|semana|tydzie|tygod|недел|[上下]周$|[先来]週$/i.test(text)) return [at - 3, at + 3];
  if (/month|monat|mois|mese|maand|miesi|месяц|[上下]个月|[先来]月$/i.test(text))
    return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
  if (
    /year|jahr|année|anno|jaar|(?:zeszłym|ubiegłym) roku|lat(?:a)? temu|году$|(?<!\p{L})лет назад|[去昨]年$/iu.test(
      text,
    )
  )
    return [dayOf(year, 1, 1), dayOf(year, 12, 31)];
  if (start.isCertain('day') || start.isCertain('weekday')) return [at, at];
  if (start.isCertain('month')) return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
  return start.isCertain('year') ? [dayOf(year, 1, 1), dayOf(year, 12, 31)] : [at, at];
}

/** Four-digit years outside the dates that were found. */
function remainingYears(found: readonly ParsedResult[], snippet: string): DayRange[] {
  const rest = found.reduce((left, { text }) => left.replace(text, ' '), snippet);
  return [...rest.matchAll(YEAR)].map(([year]) => [dayOf(Number(year), 1, 1), dayOf(Number(year), 12, 31)]);
}

function dayOf(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / DAY_MS);
}
