/** Letters of other scripts, and digits, that look like a Latin letter; those that decompose to it are not listed. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: 'аαᴀꭺꓮⲁ',
    c: 'сςᴄꮯꓚⲥ',
    e: 'еεᴇꭼꓰⲉ3',
    i: 'іıιɪꓲⲓ',
    m: 'мμᴍꮇꓟⲙ',
    o: 'оοᴏꓳⲟօ0',
    p: 'рρᴘꮲꓑⲣ',
    r: 'гᴦʀꮢꓣ',
    s: 'ѕꜱꮪꓢ5',
    t: 'тτᴛꭲꓔⲧ',
    v: 'ѵνᴠꮩꓦ',
    y: 'уүγυʏꓬ',
  }).flatMap(([letter, lookalikes]) => [...lookalikes].map((lookalike) => [lookalike, letter])),
);

/**
 * Returns where a name ends that starts at an index, however it is spelled: characters are compared after compatibility
 * decomposition, without case, by what they look like, and those that match `skipped` count for nothing. Returns
 * `undefined` for anything else. Stops at the first other character, so it reads a text once if no name contains another's
 * start.
 */
export function endOfSpelling(name: string, text: string, start: number, skipped: RegExp): number | undefined {
  let matched = 0;
  for (let at = start; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at)!);
    at += character.length;
    for (const letter of character.normalize('NFKD').toLowerCase()) {
      if ((LOOKALIKES[letter] ?? letter) === name[matched]) {
        matched += 1;
        if (matched === name.length) return at;
      } else if (!skipped.test(letter)) return undefined;
    }
  }
  return undefined;
}
