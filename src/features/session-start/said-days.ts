import { pattern } from '../languages/language.ts';
import { passingOf } from '../suggestions/passing-rules.ts';
import { DAY_MS } from '../text/day-ranges.ts';

const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
/** A day that depends on when it was said, in the languages of the rules. */
const RELATIVE_DAY = pattern(
  String.raw`(?<!\p{L})(?:yesterday|today|tonight|tomorrow|(?:last|next|this|coming) (?:night|week|weekend|month|quarter|year|spring|summer|autumn|fall|winter|morning|afternoon|evening|${WEEKDAY})|(?:on|by|before|until|till|since) ${WEEKDAY}|(?:in|for|within|over) (?:the next |another )?(?:\d+|an?|one|two|three|four|five|six|ten|a few|a couple of) (?:days?|weeks?|months?)|(?:the )?next (?:\d+|two|three|four|few) (?:days|weeks|months)|(?:days?|weeks?|months?|years?) ago
  |(?:vor)?gestern|heute|(?<!(?:am|jeden|guten|gegen) )morgen|übermorgen|(?:letzte|nächste|kommende|diese)[nrsm]? (?:woche|wochenende|monat|jahr|\p{L}+tag)|vor \p{L}+ (?:tag|woche|monat|jahr)e?n
  |(?:avant-)?hier|demain|aujourd['’]hui|(?:semaine|année|mois|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) (?:prochaine?|derni(?:er|ère))|il y a \p{L}+ (?:jour|semaine|mois|an)s?
  |(?:ante)?ayer|(?<!(?:la|cada|de) )mañana|hoy|(?:próxim|pasad)[oa] (?:semana|mes|año)|(?:semana|mes|año) (?:que viene|próxim[oa]|pasad[oa])
  |ieri|domani|oggi|(?:settimana|mese|anno) (?:prossim|scors)[oa]|(?:prossim|scors)[oa] (?:settimana|mese|anno)
  |(?:ante)?ontem|amanhã|hoje|(?:semana|mês|ano) (?:que vem|passad[oa]|próxim[oa])
  |(?:eer)?gisteren|vandaag|overmorgen|(?:volgende|vorige|komende) (?:week|maand|\p{L}+dag)|(?:volgend|vorig|komend) (?:weekend|jaar)
  |(?:przed)?wczoraj|jutro|pojutrze|dziś|dzisiaj|w (?:przyszłym|zeszłym|ubiegłym) (?:tygodniu|miesiącu|roku)
  |(?:поза)?вчера|(?:после)?завтра|сегодня|(?:на|в) (?:следующ|прошл)\p{L}+ (?:неделе|месяце|году))(?!\p{L})
  |昨天|今天|明天|后天|前天|[上下](?:周|个?月)|明年|去年|昨日|今日|明日|来週|先週|来月|先月|来年`,
);
/** What follows from a plan, or is added to it. */
const ADDED = /,\s+(?:so|because|and|but|which)\b|[;:(–—]/;
/** A day ends up to half a day later elsewhere, and what was said may be a day off as well. */
const MARGIN_MS = DAY_MS;

/** Whether a text names a day that only says which one with the day it was said. */
export function hasRelativeDay(text: string): boolean {
  return RELATIVE_DAY.test(text);
}

/** Whether the time of what was said has passed: "I have a dentist appointment tomorrow". The rules know English. */
export function hasPassed(text: string, saidAtMs: number, nowMs: number): boolean {
  const [plan = text] = text.split(ADDED);
  const passing = passingOf(text, saidAtMs) ?? passingOf(plan, saidAtMs);
  return passing !== undefined && passing.endsMs + MARGIN_MS <= nowMs;
}
