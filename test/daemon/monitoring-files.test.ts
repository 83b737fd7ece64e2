import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { onPostgres } from '../helpers/postgres/folder-databases.ts';

/** Without several daemons there is nothing to count. */
const ON_POSTGRES = ['svc_daemons', 'svc_rate_limits_local_total', 'svc_rate_limits_shared'];
const METRIC = /\b(?:svc|nodejs|process)_[a-z0-9_]+/g;

const text = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const dashboard = JSON.parse(await text('deploy/grafana-dashboard.json'));
const alerts: { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }[] = parse(
  await text('deploy/prometheus-alerts.yml'),
).groups[0].rules;

let daemon: TestDaemon;
let served: Set<string>;

beforeAll(async () => {
  daemon = await startTestDaemon();
  await daemon.signIn('ada@example.com');
  // Its duration is there once some garbage was collected.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const read = async () => {
    const { text: metrics } = await daemon.call(undefined, '/metrics');
    served = new Set(metrics.match(/^\w+/gm));
    expect(served).toContain('nodejs_gc_duration_seconds_sum');
  };
  await vi.waitFor(read, { timeout: 10_000 });
});

afterAll(() => daemon.close());

const unknownIn = (queries: string) =>
  [...new Set(queries.match(METRIC))].filter((name) => !served.has(name)).sort((a, b) => (a < b ? -1 : 1));

interface Panel {
  id: number;
  type: string;
  title: string;
  targets?: { expr: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

test('the dashboard for Grafana names only metrics that the daemon has', () => {
  const queries = dashboard.panels.flatMap(({ targets = [] }: Panel) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(20);
  expect(unknownIn(queries.join('\n'))).toEqual(onPostgres ? [] : ON_POSTGRES);
  const variables = JSON.stringify(dashboard.templating);
  expect(unknownIn(variables)).toEqual([]);
});

test('each panel of the dashboard has its own place and id, and is in a row of 24', () => {
  const panels: Panel[] = dashboard.panels;
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test('the alerts for Prometheus name only metrics that the daemon has', () => {
  const names = alerts.map(({ expr }) => expr).join('\n');
  expect(unknownIn(names)).toEqual(onPostgres ? [] : ON_POSTGRES.filter((name) => names.includes(name)));
});

test('the runbook in the docs has one line for each alert, and for no other', async () => {
  const section = /### Alerts\n([\s\S]*?)\n##/.exec(await text('docs/operations.md'))?.[1] ?? '';
  const lines = [...section.matchAll(/^\| `(Svc\w+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  expect(lines.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
  for (const { labels, annotations } of alerts) {
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(annotations.summary).not.toBe('');
  }
});
