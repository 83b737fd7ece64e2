/** Digits of Han numerals, and the powers of ten that they multiply. */
const DIGITS = new Map([...'零一二三四五六七八九'].map((character, number) => [character, number]));
DIGITS.set('〇', 0).set('两', 2).set('兩', 2);
const POWERS = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
  ['万', 10_000],
  ['萬', 10_000],
]);
const NUMERAL = '零〇一二两兩三四五六七八九十百千万萬';
/** A numeral counts something only before what is counted. */
const COUNTED = new RegExp(
  `(?<![${NUMERAL}])[${NUMERAL}]+(?=[个個名位岁歳才元块円点時时分号號人家张枚条层階楼天日月年周週次回本冊件度公里斤杯台間间只匹半つ])`,
  'gu',
);

const TIME = /(\d{1,2})[点點時时](?!间|間)(?:(半)|(\d{1,2})分?)?/gu;

/** Writes numerals as digits, and times with a colon: 四千五百元 is 4500元. A single 一 is as often an article. */
function withDigits(text: string): string {
  return text
    .replace(COUNTED, (numeral) => (numeral === '一' ? numeral : String(numberOf(numeral))))
    .replace(TIME, (_, hour: string, half: string | undefined, minute: string | undefined) => {
      return `${hour}:${half ? '30' : (minute ?? '').padStart(2, '0')}`;
    });
}

function numberOf(numeral: string): number {
  if (![...numeral].some((character) => POWERS.has(character))) {
    return Number([...numeral].map((character) => DIGITS.get(character)).join(''));
  }
  let sum = 0;
  let section = 0;
  let digit = 0;
  for (const character of numeral) {
    const power = POWERS.get(character);
    if (power === undefined) digit = DIGITS.get(character) ?? 0;
    else if (power === 10_000) {
      sum += (section + digit) * power;
      section = 0;
      digit = 0;
    } else {
      section += (digit || 1) * power;
      digit = 0;
    }
  }
  return sum + section + digit;
}

/** Numbers are words of their own. */
const NUMBER = /(\d+(?:[:.]\d+)*)/;
const STARTS_WITH_DIGIT = /^\d/;
const WORD = /\p{N}+|[^\p{N}\P{L}][\p{L}\p{M}]*/gu;

/** Returns a function that splits a text of a script without spaces into words, by the dictionary of `Intl.Segmenter`. */
export function segmenter(locale: string): (text: string) => string[] {
  let words: Intl.Segmenter | undefined;
  return (text) => {
    words ??= new Intl.Segmenter(locale, { granularity: 'word' });
    const plain = withDigits(text.normalize('NFKC').toLowerCase());
    const segmented = (part: string) => [...words!.segment(part)].filter(({ isWordLike }) => isWordLike);
    return plain.split(NUMBER).flatMap((part) => {
      if (STARTS_WITH_DIGIT.test(part)) return [part];
      return segmented(part).flatMap(({ segment }) => segment.match(WORD) ?? []);
    });
  };
}

const HIRAGANA = /^[ぁ-ゖー]{2,}$/;
const KATAKANA = /^[ァ-ヶー]{2,}$/;
/** From hiragana to the same syllable in katakana. */
const KANA_DISTANCE = 'ア'.charCodeAt(0) - 'あ'.charCodeAt(0);

/** Writes a word of one kana in the other: りんご is リンゴ. Returns `undefined` for other words. */
export function inOtherKana(word: string): string | undefined {
  const shifted = (by: number) => word.replace(/[^ー]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + by));
  if (HIRAGANA.test(word)) return shifted(KANA_DISTANCE);
  return KATAKANA.test(word) ? shifted(-KANA_DISTANCE) : undefined;
}
