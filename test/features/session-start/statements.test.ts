import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currentOf } from '../../../src/features/session-start/current.ts';
import { statementsOf } from '../../../src/features/session-start/statements.ts';
import { finish } from '../../../src/lib/time-slices.ts';

const textsOf = (message: string) => statementsOf(message).map(({ text }) => text);
const stillHolds = (...texts: string[]) =>
  [...finish(currentOf(texts.map((text, atMs) => ({ text, atMs, origin: null }))))].map(({ text }) => text).sort();

describe('the statements of a message', () => {
  test.each([
    'We format Python with ruff, line length 110.',
    'my daughter Ines is seven',
    'Never push to main on Fridays',
    'The staging box is heron-2, in Graz.',
    'please rename it, we always use camelCase for private members',
    '我对花生过敏。',
    '私は京都に住んでいます。',
    'ฉันแพ้ถั่วลิสง',
    '우리는 금요일에 배포하지 않습니다.',
    'Ich wohne in Linz',
    'In Linz wohnt meine Oma',
    'Mi hija es alérgica a los cacahuetes',
    'Ma fille a une allergie aux noix',
    'Abito a Lucca da anni',
    'Moro a dois passos da praia',
    'Ik woon in Gent',
    'Mieszkam w Krakowie od lat',
    'Antworte bitte immer auf Deutsch',
    'Schreib die Mail neu, wir duzen alle Kunden.',
    'Danke, wir nutzen pnpm.',
    'Nee, wij gebruiken pnpm.',
    'Super nett sind die Leute in Graz',
  ])('hold %j', (text) => {
    expect(textsOf(text)).toEqual([text]);
  });

  test.each([
    'Can you tidy up the readme?',
    'please write a test for the parser',
    'thanks, that is great',
    'What does our deploy script do?',
    'fix the bug in the header',
    'ok',
    '好的。',
    '你对花生过敏吗？',
    '私はどこに住んでいますか？',
    'ما هو اسم قطتي الأليفة؟',
    'Fass den Text kurz zusammen, bitte',
    'Escribe una función que ordene los datos',
    'Écris-moi une lettre',
    'Scrivimi una lettera per il padrone di casa',
    'Escreve uma carta para mim',
    'Schrijf een brief voor mij',
    'Napisz mi funkcję sortującą',
    'Напиши мне письмо',
    '帮我写一封信。',
    '手紙を書いてください。',
    'Danke, das ist super nett',
    'Danke, passt so.',
    'Super, läuft jetzt.',
    'Perfecto, funciona ahora.',
    'Отлично, теперь работает.',
    'Top, jetzt geht der Login.',
  ])('do not hold %j', (text) => {
    expect(textsOf(text)).toEqual([]);
  });

  test.each([
    'Fix the grammar of this email:\n\nHi team,\nI am moving to Berlin in March. My wife Carla is pregnant.\nBest, Tom',
    'Fix the grammar of this email: Hi Anna, I am moving to Berlin in March. My wife Carla is pregnant. Best, Tom',
    'Review this README: We use Bazel to build. Our team is in Oslo.',
    'Review this README:\n\nWe use Bazel to build. Our team uses Slack. I prefer tabs.',
    'Korrigiere diesen Text: Ich ziehe im März nach Berlin. Meine Frau Carla ist schwanger.',
    'Translate: Ich wohne in Linz und habe zwei Hunde.',
    'Tom says we use MongoDB.',
    'Tom sagt, wir nutzen MongoDB.',
    'The article says that we use too much plastic.',
    'According to the docs, we must call init first.',
    'Maybe we should use MongoDB.',
    'If I lived in Paris, I would always walk to work.',
    'Wenn ich in Paris wohnen würde, wäre ich froh.',
    'Pretend I am a doctor. I have two kids.',
    'Imagine we have 500 servers.',
    'System: You are a helpful bot. The user lives in Rome.',
    'Anna: we use Yarn 4 now\nBen: ok, our CI is slow\nAnna: my birthday is on 3 May',
    '[10:02] Ben: our API key is old',
    '> We use tabs here',
  ])('are not what others say, what is made up and what is pasted: %j', (text) => {
    expect(textsOf(text)).toEqual([]);
  });

  test.each([
    'If a test is flaky we always quarantine it.',
    'Note: our CI is Buildkite.',
    'Context: we use pnpm and my team is in Oslo.',
    'My doctor said that I must not eat nuts.',
    'We say “patron”, not “user”.',
    'I said yes to the job at Bosch.',
    'Our tagline is "Tea for everyone, everywhere, all of the time".',
  ])('are also rules under a condition, what is introduced and what is quoted in passing: %j', (text) => {
    expect(textsOf(text)).toEqual([text]);
  });

  test.each([
    'your patch got bounced by CI:\ndecoder.go:41: File is not formatted (gofumpt)\n\nwe use gofumpt here',
    'finally found this one:\n\n    at main (our/file.ts:3)\n\nwe use gofumpt here',
  ])('are found behind a pasted log: %j', (text) => {
    expect(textsOf(text)).toContain('we use gofumpt here');
  });

  test('are what a letter is to say, but not the letter', () => {
    expect(textsOf('auto reply text: Wednesdays are off, I work 80 percent')).toHaveLength(1);
  });

  test('are found in front of a text to work on', () => {
    expect(textsOf('We use vitest, not jest. Proofread this: Our team is in Oslo.')).toEqual([
      'We use vitest, not jest.',
    ]);
    expect(textsOf('My sister Clara lives in Ghent. Imagine we have 500 servers.')).toEqual([
      'My sister Clara lives in Ghent.',
    ]);
  });

  test('are in the language of the message where a sentence is too short to tell', () => {
    const message = 'Fasse den Text zusammen und achte auf die Namen. Ruben mag Tee.';
    expect(textsOf(message)).toEqual(['Ruben mag Tee.']);
  });

  test('weigh more in any language if they say a fact or a rule', () => {
    const [stated, other] = statementsOf('Meine Tochter ist sieben. In Linz ist der Wein billig.');
    expect(stated!.weight).toBeGreaterThan(other!.weight);
  });

  test('are sentences with what they refer to, without code and logs', () => {
    expect(textsOf('Shorten it. The kettle has a timer. It always runs for three minutes.')).toEqual([
      'The kettle has a timer.',
      'The kettle has a timer. It always runs for three minutes.',
    ]);
    expect(textsOf('```\nour port is 4417\n```\nOur port is 4418.\n    at main (our/file.ts:3)')).toEqual([
      'Our port is 4418.',
    ]);
  });

  test('are found in linear time, and are parts of the message, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('we ', 'is ', '. ', '? ', '\n', 'Ä', ', ', '``` ', '7'), { maxLength: 300 }),
        (parts) => {
          const message = parts.join('');
          const plain = message.replace(/\s+/g, ' ');
          for (const { text, weight } of statementsOf(message)) {
            expect(weight).toBeGreaterThan(0);
            for (const word of text.split(' ')) expect(plain).toContain(word);
          }
        },
      ),
    );
  });
});

describe('what no newer sentence takes the place of', () => {
  test('is the newer value, the newer name, and what was said to be over', () => {
    expect(stillHolds('Takes 50 µg of thyroxine at seven', 'Takes 75 µg of thyroxine at six')).toHaveLength(1);
    expect(stillHolds('Backups run with borg at night', 'We replaced borg by restic')).toEqual([
      'We replaced borg by restic',
    ]);
    expect(stillHolds('Ask Graciete for swaps', 'Graciete has retired')).toEqual(['Graciete has retired']);
  });

  test('is also what merely shares a name or a common word', () => {
    const texts = ['Dona Amélia keeps the spare keys', 'Dona Amélia moved the plants to the balcony'];
    expect(stillHolds(...texts)).toEqual(texts);
    expect(stillHolds('We use pnpm', 'We use Vitest')).toHaveLength(2);
    expect(stillHolds('Ada found shell number 7.', 'Ada found shell number 8.')).toHaveLength(2);
    expect(stillHolds('INC-0147 came from the broker', 'INC-0163 came from the broker')).toHaveLength(2);
  });

  test.each([
    ['Ich bin gegen Nüsse allergisch', 'Ich bin im Oktober nach Graz gezogen'],
    ['Ich habe Diabetes Typ 1.', 'Ich habe ein neues Fahrrad.'],
    ['Wir haben Postgres 14 in Produktion.', 'Wir haben jetzt zwei neue Kollegen.'],
    ['Meine Tochter mag Tee.', 'Meine Tochter mag Fußball.'],
    ['Je suis allergique aux noix.', 'Je suis né à Lyon.'],
    ['Ma fille aime le thé.', 'Ma fille aime le foot.'],
    ['Ik ben allergisch voor noten.', 'Ik ben verhuisd naar Gent.'],
    ['У меня аллергия на орехи.', 'У меня двое детей.'],
    ['Soy alérgico a las nueces.', 'Soy de Sevilla.'],
  ])('is both %j and %j: verbs and pronouns of another language are no subject', (...texts) => {
    expect(stillHolds(...texts)).toEqual([...texts].sort());
  });

  test.each([
    ['Meine Frau arbeitet bei Siemens.', 'Meine Frau arbeitet bei Bosch.'],
    ['Unsere Datenbank läuft auf Postgres 14.', 'Unsere Datenbank läuft auf Postgres 16.'],
    ['Wir deployen mit Jenkins.', 'Wir sind von Jenkins auf GitLab CI umgestiegen.'],
    ['Mein Chef heißt Holger.', 'Mein Chef heißt jetzt Kurt.'],
    ["J'habite à Lyon.", "J'habite à Nantes maintenant."],
    ['Vivo en León.', 'Vivo en Burgos.'],
    ['Minha irmã mora em Braga.', 'Minha irmã mora em Faro agora.'],
  ])('is not %j once %j was said', (older, newer) => {
    expect(stillHolds(older, newer)).toEqual([newer]);
  });
});
