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

/** Reads a curl command as a POSIX shell would. */
export function readCurl(command: string): SampledRequest {
  const words = [...command.replaceAll(' \\\n  ', ' ').matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  );
  const after = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined);
  const { pathname, search } = new URL(words[1]!);
  const data = after('-d');
  return {
    method: after('-X') ?? 'GET',
    path: `${pathname}${search}`,
    ...(data !== undefined && { body: JSON.parse(data) }),
  };
}
