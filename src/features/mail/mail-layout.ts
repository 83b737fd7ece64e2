/** A mail with one link, as text and HTML. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface MailContent {
  /** The subject, too. */
  title: string;
  opening: string;
  button: string;
  link: string;
  /** How long the link works. */
  validity: string;
  effect: string;
  disclaimer: string;
}

/** Lays out a mail. */
export function mailOf(to: string, content: MailContent): Mail {
  return { to, subject: content.title, text: asText(content), html: asHtml(content) };
}

/** Keeps letters, digits and a few signs, at most 60. Drops dots, colons and slashes, which turn a name into a link. */
export function displayable(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}_'’()-]+/gu, ' ')
    .trim();
  return [...plain].slice(0, 60).join('') || 'unnamed';
}

function asText({ opening, link, validity, effect, disclaimer }: MailContent): string {
  return `${[opening, link, validity, effect, disclaimer].join('\n\n')}\n`;
}

const PAGE = 'margin:0;padding:32px 16px;background:#f4f4f2;color:#1c1c1a;font:16px/1.5 system-ui,sans-serif';
const CARD =
  'max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #e2e2dd;border-radius:12px';
const BUTTON =
  'display:inline-block;padding:12px 24px;border-radius:8px;background:#1c1c1a;color:#fff;font-weight:600;' +
  'text-decoration:none';
const SMALL = 'margin:16px 0 0;color:#5f5f5a;font-size:14px;overflow-wrap:anywhere';

function asHtml({ title, opening, button, link, validity, effect, disclaimer }: MailContent): string {
  const href = escapeHtml(link);
  const small = [validity, effect, disclaimer].map((line) => `<p style="${SMALL}">${escapeHtml(line)}</p>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
</head>
<body style="${PAGE}">
<div style="${CARD}">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(title)}</h1>
<p style="margin:0 0 24px">${escapeHtml(opening)}</p>
<p style="margin:0 0 24px"><a href="${href}" style="${BUTTON}">${escapeHtml(button)}</a></p>
<p style="${SMALL}">Or copy this address into your browser:<br>${href}</p>
${small.join('\n')}
</div>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
