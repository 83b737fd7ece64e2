import { casual as german } from 'chrono-node/de';
import { Chrono, type Component, casual as english, type ParsedResult } from 'chrono-node/en';
import { casual as spanish } from 'chrono-node/es';
import { casual as french } from 'chrono-node/fr';
import { casual as italian } from 'chrono-node/it';
import { casual as dutch } from 'chrono-node/nl';
import { casual as portuguese } from 'chrono-node/pt';
import { casual as russian } from 'chrono-node/ru';
import { toDate } from '../../lib/clock.ts';
import { languageOf } from '../languages/languages.ts';
import { DAY_MS, type DayRange } from '../text/day-ranges.ts';
import { calendarWords, dayFirst, widthOf } from './calendar-words.ts';
import { EAST_ASIAN_HINT, eastAsian } from './east-asian-dates.ts';
import { POLISH_HINT, polish } from './polish-dates.ts';

/** By ISO 639-1 code. ISO dates are understood in each language. */
const LANGUAGES: Readonly<Record<string, Chrono>> = {
  ...{ de: german, es: spanish, fr: french, it: italian, nl: dutch, pt: portuguese, pl: polish, ru: russian },
  ...{ zh: eastAsian, ja: eastAsian },
  en: new Chrono({ parsers: [dayFirst(String.raw`\.`), ...english.parsers], refiners: english.refiners }),
};

/**
 * Words that announce a date. Those of other languages than English are for texts whose language is not recognized, and are
 * chosen so that they hardly occur in English or in each other: German "morgen" is also a morning, French "hier" also German.
 */
const HINTS = {
  en: `yesterday|today|tonight|tomorrow|last|next|past|ago|weekend|this (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber`,
  de: String.raw`(?:vor)?gestern|heute|übermorgen|(?:letzte|nächste)[nrs]? (?:woche(?:nende)?|monat|jahr)|vor \p{L}+ (?:tag|woche|monat|jahr)e?n|\d{1,2}\. ?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)`,
  es: String.raw`(?:ante)?ayer|hoy|\d{1,2} de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)`,
  fr: String.raw`avant-hier|hier (?:soir|matin)|aujourd['’]hui|(?:semaine|année) (?:dernière|prochaine)|mois (?:dernier|prochain)|il y a \p{L}+ (?:jour|semaine|mois|an)s?|\d{1,2}(?:er)? (?:janvier|février|avril|juillet|août|septembre|octobre|novembre|décembre)|(?:le|du|au) \d{1,2} (?:mars|mai|juin)`,
  it: String.raw`ieri|oggi|domani|settimana scorsa|(?:mese|anno) scorso|\d{1,2} (?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)`,
  nl: String.raw`(?:eer)?gisteren|vandaag|vorige (?:week|maand)|vorig jaar|\d{1,2} (?:januari|februari|maart|mei|juni|juli|augustus|oktober)`,
  pt: String.raw`(?:ante)?ontem|hoje|amanhã|\d{1,2} de (?:janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro)`,
  pl: String.raw`(?:przed)?wczoraj|dziś|dzisiaj|jutro|pojutrze|\p{L}+ temu|w (?:zeszłym|ubiegłym) (?:tygodniu|miesiącu|roku)|\d{1,2} (?:stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia)`,
  ru: String.raw`(?:поза)?вчера|сегодня|(?:после)?завтра|\p{L}+ назад|(?:на )?(?:прошлой|следующей) неделе|в прошлом (?:месяце|году)|\d{1,2} (?:января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)`,
};
/** Are read in the language of the text. */
const OWN_HINTS = String.raw`(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:19|20)\d\d|\d{1,2}[/.\-]\d{1,2}`;
const END = String.raw`(?!\p{L})`;

/** How the dates of a language are found and parsed. */
interface DateReader {
  hint: RegExp;
  chrono: Chrono;
  /** Whether "3/4" may be a date. */
  hasSlashes: boolean;
}

const readers = new Map<string, DateReader>();

function readerOf(code: string): DateReader {
  const known = readers.get(code);
  if (known !== undefined) return known;
  const reader = createReader(code in LANGUAGES ? code : 'en');
  readers.set(code, reader);
  return reader;
}

function createReader(code: string): DateReader {
  const chrono = LANGUAGES[code]!;
  if (code === 'en') return { hint: hintOf(OWN_HINTS), chrono, hasSlashes: true };
  const { hint, relative, months, separator } = calendarWords(code);
  const hasSlashes = separator === '/';
  if (chrono === eastAsian) return { hint: hintOf(OWN_HINTS, EAST_ASIAN_HINT), chrono, hasSlashes };
  if (chrono === polish) return { hint: hintOf(`${OWN_HINTS}|(?:${POLISH_HINT})${END}`), chrono, hasSlashes };
  const parsers = [relative, ...chrono.parsers, months];
  return {
    hint: hintOf(`${OWN_HINTS}|(?:${hint})${END}`),
    chrono: new Chrono({ parsers, refiners: chrono.refiners }),
    hasSlashes,
  };
}

/** Matches hints of a text's own language outside the groups, which are named as the other languages. */
function hintOf(own: string, anywhere = '(?!)'): RegExp {
  const others = Object.entries(HINTS).map(
    ([code, words]) => `(?<${code}>${code === 'en' ? words : `(?:${words})${END}`})`,
  );
  return new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${[own, ...others].join('|')})|${anywhere}`, 'giu');
}

/** "Morgen" and "mañana" are tomorrow, but the morning after some words, and as a German noun. */
const MORNING = /(?<!\p{L})(?:(?:guten|am|jeden|goede|elke|iedere|de) morgen|(?:la|esta|cada) mañana)$/iu;
const MORNING_NOUN = /\p{L},? Morgen$/u;
/** Before a weekday, they say that it is one of many. */
const HABIT =
  /(?<!\p{L})(?:jeden|chaque|les?|cada|los|ogni|il|elke|iedere|todas? as?|każd\p{L}+|кажд\p{L}+|по) $|[毎每][週周]?$/iu;
/** An abbreviated weekday, which is a word of its own in most languages: "so", "mar". */
const SHORT_WEEKDAY = /^\p{sc=Latin}{1,3}$/u;
/** The verb "march". */
const MARCHES = /(?<!\p{L})(?:I|we|you|they) march$/u;

/** Parses the dates of a text; relative ones are resolved against `referenceMs`. */
function parseDates(text: string, code: string, referenceMs: number): ParsedResult[] {
  const { chrono, hasSlashes } = readerOf(code);
  const found = chrono.parse(text, { instant: toDate(referenceMs), timezone: 0 });
  return found.filter((date) => {
    const until = text.slice(0, date.index + date.text.length);
    if (code === 'en') return !MARCHES.test(until);
    const has = (component: Component) => date.start.isCertain(component);
    const isWeekday = has('weekday') && !has('day');
    const isTime =
      !isWeekday && !has('day') && !has('month') && !has('year') && !date.tags().has('result/relativeDate');
    return !(
      isTime ||
      MORNING.test(until) ||
      MORNING_NOUN.test(until) ||
      (isWeekday && (SHORT_WEEKDAY.test(date.text) || HABIT.test(text.slice(0, date.index)))) ||
      (!hasSlashes && /^\d+\/\d+$/.test(date.text))
    );
  });
}

/** A date in a query: a range of days, or a day or month of any year. */
export type QueryDate = { range: DayRange } | { month: number; day: number | undefined };

/** Most texts have no date and parsing is slow: this many characters around a hint are parsed, of this many hints. */
const HINT_MARGIN = 40;
const MAX_HINTS = 8;
const MAX_DATES = 8;
/** Amounts of money are not years. */
const YEAR = /(?<!\p{Sc}\s?)\b(?:19|20)\d\d\b(?!\s?(?:\p{Sc}|(?:euros?|dollars?|eur|usd|zł|руб)(?!\p{L})))/giu;

/** The dates a text mentions, relative ones ("last Friday") resolved against the day it was written. */
export function datesIn(text: string, writtenAtMs: number): DayRange[] {
  const ranges = snippetsOf(text).flatMap(({ snippet, code }) => {
    const found = parseDates(snippet, code, writtenAtMs);
    return [...found.map((date) => rangeOf(date)), ...remainingYears(found, snippet)];
  });
  const distinct = new Map(ranges.map((range) => [range.join(), range]));
  return [...distinct.values()].slice(0, MAX_DATES);
}

/** The dates a query asks for. */
export function queryDates(query: string, nowMs: number): QueryDate[] {
  return snippetsOf(query).flatMap(({ snippet, code }) => {
    const found = parseDates(snippet, code, nowMs);
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

function inYear({ month, day }: { month: number; day: number | undefined }, year: number): DayRange {
  if (day !== undefined) return [dayOf(year, month, day), dayOf(year, month, day)];
  return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
}

/** The text around each hint, merged where it overlaps. Another language than English decides for all of it. */
function snippetsOf(text: string): { snippet: string; code: string }[] {
  const { code: own } = languageOf(text);
  const snippets: { from: number; to: number; code: string }[] = [];
  let hints = 0;
  for (const { index, 0: hint, groups = {} } of text.matchAll(readerOf(own).hint)) {
    hints += 1;
    if (hints > MAX_HINTS) break;
    const code = Object.keys(groups).find((other) => groups[other] !== undefined) ?? own;
    const [from, to] = [Math.max(0, index - HINT_MARGIN), index + hint.length + HINT_MARGIN];
    const last = snippets.at(-1);
    if (last && from <= last.to) {
      last.to = to;
      if (last.code === 'en') last.code = code;
    } else snippets.push({ from, to, code });
  }
  return snippets.map(({ from, to, code }) => ({ snippet: text.slice(from, to), code }));
}

/** The range is as wide as the wording: a day, a weekend, a week, a month or a year. */
function rangeOf(date: ParsedResult): DayRange {
  const { start, end, text } = date;
  const [year, month, day] = [start.get('year')!, start.get('month')!, start.get('day')!];
  const at = dayOf(year, month, day);
  if (end) return [at, Math.max(at, dayOf(end.get('year')!, end.get('month')!, end.get('day')!))];
  if (/weekend|wochenende/i.test(text)) return [at - 1, at + 1];
  const width = widthOf(date);
  if (width === 'week' || /week|woche|semaine|settimana|semana|недел/i.test(text)) return [at - 3, at + 3];
  if (width === 'month' || /month|monat|mois|mese|maand|месяц/i.test(text))
    return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
  if (width === 'year' || /year|jahr|année|anno|jaar|(?<!\p{L})лет назад/iu.test(text))
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
