import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { MarkedToken } from '../markdown.ts';

/** Deeper quotes, lists and emphasis are shown as they were written. */
const MAX_DEPTH = 20;

/** The parser, once a text has needed it. */
const parser = signal<typeof import('../markdown.ts') | undefined>(undefined);

/**
 * Shows Markdown, and until its parser is loaded the text as it was written. HTML in it is shown as text, images are not
 * loaded, and links lead only to web pages and mailboxes.
 */
export function Markdown({ text }: { text: string }) {
  useEffect(() => {
    // Without the parser the text stays as it was written.
    if (!parser.value) import('../markdown.ts').then((loaded) => (parser.value = loaded)).catch(() => undefined);
  }, []);
  const tokens = parser.value?.parseMarkdown(text);
  if (!tokens) return <p class="content">{text}</p>;
  return <div class="markdown">{childrenOf(tokens, 0)}</div>;
}

function childrenOf(tokens: readonly unknown[] | undefined, depth: number): ComponentChildren {
  const known = (tokens ?? []) as MarkedToken[];
  if (depth > MAX_DEPTH) return known.map(({ raw }) => raw).join('');
  return known.map((token, index) => <TokenView key={index} token={token} depth={depth + 1} />);
}

function TokenView({ token, depth }: { token: MarkedToken; depth: number }): ComponentChildren {
  const inner = () => childrenOf('tokens' in token ? token.tokens : undefined, depth);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // Not a heading of the page: its outline is that of episodes.
      return (
        <p>
          <strong>{inner()}</strong>
        </p>
      );
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'code':
      return <pre class="snippet">{token.text}</pre>;
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>;
    case 'list': {
      const items = token.items.map((item, index) => <li key={index}>{childrenOf(item.tokens, depth)}</li>);
      return token.ordered ? <ol start={Number(token.start)}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'checkbox':
      return <>{token.checked ? '☑ ' : '☐ '}</>;
    case 'table':
      return (
        // What scrolls sideways must be reached by keyboard.
        <div class="markdown-table" tabIndex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>
                {token.header.map((cell, index) => (
                  <th key={index} scope="col" style={alignmentOf(cell)}>
                    {childrenOf(cell.tokens, depth)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {token.rows.map((cells, row) => (
                <tr key={row}>
                  {cells.map((cell, index) => (
                    <td key={index} style={alignmentOf(cell)}>
                      {childrenOf(cell.tokens, depth)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return <Address href={token.href}>{inner()}</Address>;
    case 'image':
      return <Address href={token.href}>Image: {token.text || token.href}</Address>;
    case 'text':
      return <>{token.tokens ? inner() : token.text}</>;
    case 'escape':
      return <>{token.text}</>;
    default:
      return <>{token.raw}</>;
  }
}

/** The alignment that the text gives a column; without one, that of the page. */
function alignmentOf({ align }: { align: 'left' | 'center' | 'right' | null }) {
  return align === null ? undefined : { textAlign: align };
}

function Address({ href, children }: { href: string; children: ComponentChildren }) {
  const address = parser.value?.safeAddress(href);
  if (address === undefined) return <span title={href}>{children}</span>;
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
