import { html, type Markup, NOTHING } from '../../lib/html.ts';

/** Renders a page in the look of the web app. `script` goes into its head. */
export function layout({ title, body, script = NOTHING }: { title: string; body: Markup; script?: Markup }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} – svc</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<link rel="icon" href="/dashboard/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/dashboard/pages.css">
${script}
</head>
<body>
<header class="bar"><div class="bar-inner">
<p class="brand"><img src="/dashboard/favicon.svg" alt="" width="28" height="28"> svc <span class="brand-role">memory</span></p>
</div></header>
<main class="sign-in">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}
