/** A request as a sample sends it. */
export interface SampledRequest {
  method: string;
  /** With the query. */
  path: string;
  /** The parsed JSON body. */
  body?: unknown;
}

/** Returns the HTML of each operation of the reference by its id. */
export function sectionsOf(page: string): Map<string, string> {
  const sections = page.matchAll(/<section class="endpoint" id="([^"]+)".*?<\/section>/gs);
  return new Map([...sections].map(([html, id]) => [id!, html]));
}

/** Returns the text of HTML, with one space between elements' words as shown. */
export function textOf(html: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return html.replace(/<[^>]+>/g, '').replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!);
}

/** Reads the request of a curl command. */
export function readCurl(command: string): SampledRequest {
  const words = wordsOf(command);
  const { pathname, search } = new URL(words[1]!);
  const [data] = optionsOf(words, '-d');
  return {
    method: optionsOf(words, '-X')[0] ?? 'GET',
    path: `${pathname}${search}`,
    ...(data !== undefined && { body: JSON.parse(data) }),
  };
}

/** Reads the headers of a curl command, with lower-case names. */
export function readCurlHeaders(command: string): Record<string, string> {
  const headers = optionsOf(wordsOf(command), '-H').map((header) => {
    const [name = '', value = ''] = header.split(': ');
    return [name.toLowerCase(), value];
  });
  return Object.fromEntries(headers);
}

/** Splits a command into words as a POSIX shell does, without expanding variables. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll(' \\\n  ', ' ').matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g);
  return [...words].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  );
}

/** Returns the values of an option, which may be repeated. */
function optionsOf(words: readonly string[], option: string): string[] {
  return words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
}
