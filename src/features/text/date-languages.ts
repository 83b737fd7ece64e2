import { casual as german } from 'chrono-node/de';
import { casual as english, type ParsedResult } from 'chrono-node/en';
import { casual as spanish } from 'chrono-node/es';
import { casual as french } from 'chrono-node/fr';
import { casual as italian } from 'chrono-node/it';
import { casual as dutch } from 'chrono-node/nl';
import { casual as portuguese } from 'chrono-node/pt';
import { toDate } from '../../lib/clock.ts';

/** A language whose dates are understood. ISO dates are understood in each. */
export type DateLanguage = 'en' | 'de' | 'es' | 'fr' | 'it' | 'nl' | 'pt';

const PARSERS = { en: english, de: german, es: spanish, fr: french, it: italian, nl: dutch, pt: portuguese };

/**
 * Words that announce a date. Those of other languages than English are chosen so that they hardly occur in English or in
 * each other: German "morgen" is also a morning, French "hier" also German.
 */
const HINTS: Record<DateLanguage, string> = {
  en: String.raw`yesterday|today|tonight|tomorrow|last|next|past|ago|weekend|this (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:19|20)\d\d|\d{1,2}[/.\-]\d{1,2}`,
  de: String.raw`(?:vor)?gestern|heute|übermorgen|(?:letzte|nächste)[nrs]? (?:woche(?:nende)?|monat|jahr)|vor \p{L}+ (?:tag|woche|monat|jahr)e?n|\d{1,2}\. ?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)`,
  es: String.raw`(?:ante)?ayer|hoy|\d{1,2} de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)`,
  fr: String.raw`avant-hier|hier (?:soir|matin)|aujourd['’]hui|(?:semaine|année) (?:dernière|prochaine)|mois (?:dernier|prochain)|il y a \p{L}+ (?:jour|semaine|mois|an)s?|\d{1,2}(?:er)? (?:janvier|février|avril|juillet|août|septembre|octobre|novembre|décembre)|(?:le|du|au) \d{1,2} (?:mars|mai|juin)`,
  it: String.raw`ieri|oggi|domani|settimana scorsa|(?:mese|anno) scorso|\d{1,2} (?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)`,
  nl: String.raw`(?:eer)?gisteren|vandaag|vorige (?:week|maand)|vorig jaar|\d{1,2} (?:januari|februari|maart|mei|juni|juli|augustus|oktober)`,
  pt: String.raw`(?:ante)?ontem|hoje|amanhã|\d{1,2} de (?:janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro)`,
};

const HINT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${Object.entries(HINTS)
    .map(([language, words]) =>
      language === 'en' ? `(?<en>${words})` : String.raw`(?<${language}>(?:${words})(?!\p{L}))`,
    )
    .join('|')})`,
  'giu',
);

export interface DateHint {
  index: number;
  length: number;
  language: DateLanguage;
}

/** Finds where a text may name a date, and in which language. */
export function* dateHints(text: string): Generator<DateHint> {
  for (const { index, 0: hint, groups } of text.matchAll(HINT)) {
    const [language] = Object.entries(groups!).find(([, found]) => found !== undefined)!;
    yield { index, length: hint.length, language: language as DateLanguage };
  }
}

/** Parses the dates of a text; relative ones are resolved against `referenceMs`. */
export function parseDates(text: string, language: DateLanguage, referenceMs: number): ParsedResult[] {
  return PARSERS[language].parse(text, { instant: toDate(referenceMs), timezone: 0 });
}
