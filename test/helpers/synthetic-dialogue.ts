import type { RawDialogue } from '../../bench/locomo-data.ts';

type Speaker = 'Nora' | 'Tom';

/** The facts that the two tell about themselves, in order; nothing else they say is worth remembering. */
export const FACTS: readonly (readonly [Speaker, string])[] = [
  ['Nora', 'I love the smell of the bakery below my flat in Bergen.'],
  ['Tom', 'I just bought an old bicycle from my neighbour.'],
  ['Nora', 'I plan to walk the coast path with my sister in June.'],
  ['Tom', 'I have two cats, Pixel and Bowie.'],
  ['Nora', 'Honestly, I enjoy cooking for many people!'],
  ['Tom', 'I want to learn the cello before I turn forty.'],
  ['Nora', 'I keep bees behind the house of my parents.'],
  ['Tom', 'I really like the films of Agnès Varda.'],
  ['Nora', 'I decided to leave the bank and open a pottery.'],
  ['Tom', 'I hope to see the northern lights with my father.'],
  ['Nora', 'I own a kiln now, a small electric one.'],
  ['Tom', "I've got a new job at the harbour museum."],
  ['Nora', 'I prefer tea to coffee since last winter.'],
  ['Tom', 'I adore the blueberry cake of your aunt.'],
  ['Nora', 'I bought a van to bring the pots to the market.'],
];

/** Filler without first-person statements. */
const SMALL_TALK = [
  'What a day that was, the trams stood still for an hour and everybody talked about the weather again.',
  'How is everyone at your place, and did the parcel with the books ever come through after all this time?',
  'That sounds lovely. People say the square looks quite different now that the old trees are being looked after.',
  'The radio said it would rain until Thursday, but then the radio says many things when the day is long.',
  'You should tell the others, they would laugh about it as much as the two of us did back then at the lake.',
  'No news here, apart from the noise on the street, which starts at six and ends when the shops close.',
];

const SESSIONS = [
  '1:56 pm on 8 May, 2023',
  '10:20 am on 3 June, 2023',
  '12:09 am on 13 July, 2023',
  '7:00 pm on 1 September, 2023',
  '8:31 am on 24 October, 2023',
  '4:45 pm on 9 January, 2024',
];
const TURNS_EACH = 10;

/** Builds sixty turns of two people in six sessions; every fourth turn states a fact, and the first fact is repeated. */
export function syntheticDialogue(): RawDialogue {
  const conversation: RawDialogue['conversation'] = {};
  const facts = [...FACTS, FACTS[0]!].values();
  for (const [session, date] of SESSIONS.entries()) {
    conversation[`session_${session + 1}_date_time`] = date;
    conversation[`session_${session + 1}`] = Array.from({ length: TURNS_EACH }, (_, turn) => {
      const number = session * TURNS_EACH + turn;
      const fact = number % 4 === 0 || number === 58 ? facts.next().value : undefined;
      const talk = [0, 1, 2].map((more) => SMALL_TALK[(number + more * 2) % SMALL_TALK.length]!);
      return {
        speaker: fact?.[0] ?? (number % 2 === 0 ? 'Nora' : 'Tom'),
        dia_id: `D${session + 1}:${turn + 1}`,
        text: [talk[0], ...(fact ? [fact[1]] : []), ...talk.slice(1)].join(' '),
      };
    });
  }
  return { sample_id: 'nora-and-tom', conversation, qa: [] };
}
