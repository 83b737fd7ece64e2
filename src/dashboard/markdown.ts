import { getDefaults, Lexer, type MarkedToken, type Token } from 'marked';

export type { MarkedToken };

/** Parsing some texts takes quadratic time: longer ones are shown as they were written. */
const MAX_CHARACTERS = 20_000;
/** Emphasis and links in a longer paragraph stay as they were written, for the same reason. */
const MAX_INLINE_CHARACTERS = 2000;

class BoundedLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= MAX_INLINE_CHARACTERS) return super.inlineTokens(text, tokens);
    tokens.push({ type: 'text', raw: text, text, escaped: false });
    return tokens;
  }
}

/**
 * Parses Markdown (GitHub's, where every line break counts); `undefined` for a text that is too long or nested too deeply.
 * The tokens hold text as it was written: nothing in them is HTML to insert.
 */
export function parseMarkdown(text: string): MarkedToken[] | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    return new BoundedLexer({ ...getDefaults(), gfm: true, breaks: true }).lex(text) as MarkedToken[];
  } catch (error) {
    // The parser recurses for each level of quotes and lists.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The address of a link if it leads to a web page or a mailbox; `undefined` for everything else. */
export function safeAddress(href: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(href) && URL.canParse(href) ? href : undefined;
}
