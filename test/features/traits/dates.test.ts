import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, type DayRange, monthsOf } from '../../../src/features/text/day-ranges.ts';
import { datesIn, daysApart, queryDates } from '../../../src/features/traits/dates.ts';
import { toDate } from '../../../src/lib/clock.ts';
import { codePoint } from '../../helpers/code-point.ts';

const WEDNESDAY = Date.parse('2026-05-20T12:00:00Z');
const NEW_YEAR = Date.parse('2026-01-01T00:00:00Z');

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
const range = (from: string, to = from): DayRange => [day(from), day(to)];

describe('the dates of a text', () => {
  test.each<[string, DayRange]>([
    ['yesterday', range('2026-05-19')],
    ['this morning', range('2026-05-20')],
    ['tomorrow', range('2026-05-21')],
    ['three days ago', range('2026-05-17')],
    ['last Friday', range('2026-05-15')],
    ['last week', range('2026-05-10', '2026-05-16')],
    ['two weeks ago', range('2026-05-03', '2026-05-09')],
    ['last weekend', range('2026-05-16', '2026-05-18')],
    ['this weekend', range('2026-05-22', '2026-05-24')],
    ['last month', range('2026-04-01', '2026-04-30')],
    ['two months ago', range('2026-03-01', '2026-03-31')],
    ['last year', range('2025-01-01', '2025-12-31')],
    ['in April', range('2026-04-01', '2026-04-30')],
    ['on April 5', range('2026-04-05')],
    ['from April 5 to April 9', range('2026-04-05', '2026-04-09')],
    ['in 2020', range('2020-01-01', '2020-12-31')],
    ['2019-03-04', range('2019-03-04')],
  ])('"%s" is relative to the day it was written, and as wide as its wording', (text, expected) => {
    expect(datesIn(`We met ${text}, I think`, WEDNESDAY)).toEqual([expected]);
  });

  test.each<[string, DayRange]>([
    ['Byliśmy tam wczoraj', range('2026-05-19')],
    ['Wizyta była 3 marca 2025 w Łodzi', range('2025-03-03')],
    ['Przeprowadziłem się dwa miesiące temu', range('2026-03-01', '2026-03-31')],
    ['Вчера был у врача', range('2026-05-19')],
    ['Встреча была 3 марта 2025 года', range('2025-03-03')],
    ['我昨天去了医院', range('2026-05-19')],
    ['会議は昨日でした', range('2026-05-19')],
    ['Gestern trafen wir uns', range('2026-05-19')],
    ['Wir trafen uns am 3. März 2025 in Bonn', range('2025-03-03')],
    ['Der Termin ist am 12.06.2026, das weiß ich seit heute früh nicht', range('2026-06-12')],
    ['Letzte Woche war Ada hier', range('2026-05-10', '2026-05-16')],
    ['On se voit le 3 mars 2027 à Lyon', range('2027-03-03')],
    ['Le mois dernier, Ada était ici', range('2026-04-01', '2026-04-30')],
    ['Nos vimos el 3 de mayo de 2025', range('2025-05-03')],
    ['Ayer cenamos con Ada', range('2026-05-19')],
    ['Ontem jantámos com a Ada', range('2026-05-19')],
    ['Ci vediamo il 3 marzo 2027', range('2027-03-03')],
    ['Gisteren was Ada hier', range('2026-05-19')],
    ['De afspraak is op 3 maart 2027', range('2027-03-03')],
  ])('"%s" is understood in its language', (text, expected) => {
    expect(datesIn(text, WEDNESDAY)[0]).toEqual(expected);
  });

  test.each([
    'Der Termin ist am 03.06.2026',
    'Rendez-vous le 03/06/2026',
    'La cita es el 03/06/2026',
    "L'appuntamento è il 03/06/2026",
    'A consulta é no dia 03/06/2026',
    'De afspraak is op 03-06-2026',
    'Wizyta jest 03.06.2026',
    'Приём 03.06.2026',
    'The appointment is on 03.06.2026',
  ])('the day stands first in "%s"', (text) => {
    expect(datesIn(text, WEDNESDAY)).toEqual([range('2026-06-03')]);
  });

  test('the month stands first in English dates with slashes', () => {
    expect(datesIn('The appointment is on 03/06/2026', WEDNESDAY)).toEqual([range('2026-03-06')]);
  });

  test.each<[string, DayRange]>([
    ['Morgen fahre ich nach Linz', range('2026-05-21')],
    ['Am Freitag bin ich bei Oma', range('2026-05-22')],
    ['Im März war ich in Rom', range('2026-03-01', '2026-03-31')],
    ['Demain je pars à Lyon', range('2026-05-21')],
    ['Après-demain je suis à Lyon', range('2026-05-22')],
    ["Lundi dernier j'étais chez le dentiste", range('2026-05-18')],
    ['En mars nous étions à Rome', range('2026-03-01', '2026-03-31')],
    ['Mañana voy al médico', range('2026-05-21')],
    ['Pasado mañana voy a la playa', range('2026-05-22')],
    ['Anteayer comí con Ana', range('2026-05-18')],
    ['El lunes pasado estuve con Ana', range('2026-05-18')],
    ["L'altro ieri sono stato da Ugo", range('2026-05-18')],
    ['Dopodomani vado dal medico', range('2026-05-22')],
    ['Depois de amanhã viajo para o Porto', range('2026-05-22')],
    ['Anteontem fui ao médico', range('2026-05-18')],
    ['Eergisteren was ik bij de tandarts', range('2026-05-18')],
    ['Overmorgen ga ik naar de tandarts', range('2026-05-22')],
    ['W zeszły wtorek byłem u lekarza', range('2026-05-19')],
    ['W marcu byłem w Rzymie', range('2026-03-01', '2026-03-31')],
    ['В пятницу у меня приём', range('2026-05-22')],
    ['В марте я был в Риме', range('2026-03-01', '2026-03-31')],
    ['一昨日病院に行った', range('2026-05-18')],
    ['きのう病院に行った', range('2026-05-19')],
    ['あさって病院に行く', range('2026-05-22')],
    ['来週の火曜日に懇談がある', range('2026-05-26')],
    ['来週は出張です', range('2026-05-24', '2026-05-30')],
    ['先月引っ越しました', range('2026-04-01', '2026-04-30')],
    ['六月三日に会う', range('2026-06-03')],
    ['后天去上海', range('2026-05-22')],
    ['三天前我去了上海', range('2026-05-17')],
    ['去年住在罗马', range('2025-01-01', '2025-12-31')],
    ['後天我去台北', range('2026-05-22')],
    ['上個月我去了台北', range('2026-04-01', '2026-04-30')],
  ])('"%s" names its one date', (text, expected) => {
    expect(datesIn(text, WEDNESDAY)).toEqual([expected]);
  });

  test.each([
    'Das Verhältnis ist 3/4',
    'Ich habe 2024 Euro bezahlt',
    'I paid $2024 for it',
    'I march to work',
    'Jeden Morgen gehe ich laufen',
    'Por la mañana bebo café con leche',
    'Nous allons à la mer avec mon frère, c’est à 7 h',
    'La boulangerie est fermée le lundi',
    'Los martes por la tarde toco la guitarra',
    '我每周四交报告',
  ])('"%s" names no date', (text) => {
    expect(datesIn(text, WEDNESDAY)).toEqual([]);
  });

  test('words of one language name no date in another', () => {
    for (const text of [
      'Ada wohnt hier',
      'Guten Morgen',
      'I ate 3 Mars bars',
      '4. Maintain it',
      'Buongiorno Ada',
      'la mañana',
    ]) {
      expect(datesIn(text, WEDNESDAY), text).toEqual([]);
    }
  });

  test.each<[string, DayRange]>([
    ['yesterday', range('2025-12-31')],
    ['last week', range('2025-12-22', '2025-12-28')],
    ['last month', range('2025-12-01', '2025-12-31')],
    ['next month', range('2026-02-01', '2026-02-28')],
    ['in December', range('2025-12-01', '2025-12-31')],
    ['on December 30', range('2025-12-30')],
    ['in January', range('2026-01-01', '2026-01-31')],
  ])('"%s" written on New Year’s Day falls into the intended year', (text, expected) => {
    expect(datesIn(`We met ${text}`, NEW_YEAR)).toEqual([expected]);
  });

  test('the year of a date is not a second date; a year alone is a date', () => {
    expect(datesIn('We met on 5 April 2020', WEDNESDAY)).toEqual([range('2020-04-05')]);
    expect(datesIn('On 5 April 2020 we spoke of 2013', WEDNESDAY)).toEqual([
      range('2020-04-05'),
      range('2013-01-01', '2013-12-31'),
    ]);
  });

  test('are none where no day is named', () => {
    for (const text of ['', 'a red kayak', 'I may go', 'the 12 of us', 'on February 30', '31/31', 'at last']) {
      expect(datesIn(text, WEDNESDAY), text).toEqual([]);
    }
  });

  test('are distinct, and at most eight', () => {
    expect(datesIn('yesterday, yes, yesterday', WEDNESDAY)).toEqual([range('2026-05-19')]);
    const many = Array.from({ length: 12 }, (_, index) => `on March ${index + 1} ${'we rested '.repeat(9)}`);
    expect(datesIn(many.join(' '), WEDNESDAY)).toHaveLength(8);
  });

  test('are whole days in order, whatever the text', () => {
    const word = fc.constantFrom(
      ...'yesterday last next ago in on the of from to until week weekend month year years days Monday March may Dec'.split(
        ' ',
      ),
      ...'5 31 0 99 1999 2020 300000 99999999999 two a few half second . , - / : am pm noon UTC +99:99 T24:61'.split(
        ' ',
      ),
    );
    const text = fc.oneof(
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
      fc.array(word, { maxLength: 12 }).map((words) => words.join('')),
      fc.string({ unit: codePoint }),
    );
    const saidAt = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(text, saidAt, (said, saidAtMs) => {
        for (const [from, to] of datesIn(said, saidAtMs)) {
          expect([Number.isInteger(from), Number.isInteger(to), from <= to], said).toEqual([true, true, true]);
        }
        for (const asked of queryDates(said, saidAtMs)) expect(daysApart(asked, [0, 1])).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 400 },
    );
  });
});

describe('the dates of a query', () => {
  test('without a year match any year', () => {
    expect(queryDates('What did we do in April?', WEDNESDAY)).toEqual([{ month: 4, day: undefined }]);
    expect(queryDates('What did we do on April 5?', WEDNESDAY)).toEqual([{ month: 4, day: 5 }]);
    expect(queryDates('What did we do from May to June?', WEDNESDAY)).toEqual([
      { month: 5, day: undefined },
      { month: 6, day: undefined },
    ]);
  });

  test('with a year, or relative to now, are those days', () => {
    expect(queryDates('What did we do on April 5, 2020?', WEDNESDAY)).toEqual([{ range: range('2020-04-05') }]);
    expect(queryDates('What did we do in 2020?', WEDNESDAY)).toEqual([{ range: range('2020-01-01', '2020-12-31') }]);
    expect(queryDates('What did we do last week?', WEDNESDAY)).toEqual([{ range: range('2026-05-10', '2026-05-16') }]);
  });

  test('are as far from a range as the days between, in the nearest year for yearless ones', () => {
    const april = { month: 4, day: undefined };
    expect(daysApart(april, range('2019-04-30'))).toBe(0);
    expect(daysApart(april, range('2019-05-02'))).toBe(2);
    expect(daysApart({ month: 12, day: 31 }, range('2026-01-02'))).toBe(2);
    expect(daysApart({ month: 1, day: 1 }, range('2025-12-30'))).toBe(2);
    expect(daysApart({ range: range('2026-05-10', '2026-05-16') }, range('2026-05-18'))).toBe(2);
    expect(daysApart({ range: range('2026-05-10', '2026-05-16') }, range('2026-05-01', '2026-05-10'))).toBe(0);
  });

  test('are 0 from a range exactly where they overlap it', () => {
    const some = fc.integer({ min: 15_000, max: 22_000 });
    const stretch = fc.tuple(some, fc.nat(40)).map(([from, length]): DayRange => [from, from + length]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), stretch, (month, [from, to]) => {
        const days = Array.from({ length: to - from + 1 }, (_, index) => toDate((from + index) * DAY_MS));
        const meets = days.some((date) => date.getUTCMonth() + 1 === month);
        expect(daysApart({ month, day: undefined }, [from, to]) === 0).toBe(meets);
      }),
    );
  });
});

test('the months of ranges are all months they touch, except for ranges longer than two', () => {
  const some = fc.integer({ min: 15_000, max: 22_000 });
  fc.assert(
    fc.property(some, fc.nat(90), (from, length) => {
      const days = Array.from({ length: length + 1 }, (_, index) => toDate((from + index) * DAY_MS));
      const touched = new Set(days.map((date) => `${date.getUTCFullYear()} ${date.getUTCMonth() + 1}`));
      const found = monthsOf([[from, from + length]]).map(({ year, month }) => `${year} ${month}`);
      expect(found.sort()).toEqual(length > 62 ? [] : [...touched].sort());
    }),
  );
});
