import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

// The program of a worker thread, which answers each text with its tokens.

/** Control tokens in a text are counted as ordinary text. */
const OPTIONS = { disallowedSpecial: new Set<string>() };

parentPort!.on('message', (text: string) => parentPort!.postMessage(countTokens(text, OPTIONS)));
