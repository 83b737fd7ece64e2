import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, expect, test, vi } from 'vitest';
import { freePort } from '../helpers/free-port.ts';
import { callAt, createWorkplaces, signInAt } from '../helpers/process.ts';

const TOKEN = 'watch-me-0123456789';
const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const places = createWorkplaces();
afterEach(places.clean);

test('promtool accepts the alerts, each of which fires for a daemon in trouble and none for one that is well', async () => {
  await execa('promtool', ['check', 'rules', file('deploy/prometheus-alerts.yml')]);
  await execa('promtool', ['test', 'rules', file('test/deploy/prometheus-alerts.test.yml')]);
});

/** The parts of answers that are looked at. */
interface PrometheusData {
  result: unknown[];
  groups: { rules: { name: string }[] }[];
  activeTargets: unknown[];
}

/** Starts a Prometheus that scrapes `target` every second. */
async function startPrometheus(folder: string, target: string) {
  const port = await freePort();
  const job = {
    job_name: 'svc',
    scrape_interval: '1s',
    authorization: { credentials: TOKEN },
    static_configs: [{ targets: [target] }],
  };
  const config = join(folder, 'prometheus.json');
  const rules = [file('deploy/prometheus-alerts.yml')];
  await mkdir(join(folder, 'tsdb'));
  await writeFile(config, JSON.stringify({ rule_files: rules, scrape_configs: [job] }));
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
  const running = execa('prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`], { reject: false });
  places.endLater({
    async end() {
      running.kill('SIGKILL');
      await running;
    },
  });
  return async (path: string, parameters: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    return (await response.json()) as { status: string; error?: string; data: PrometheusData };
  };
}

/** What Grafana puts in place of its variables. */
const filled = (query: string) =>
  query.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'svc').replaceAll('$instance', '.*');

test('a real Prometheus scrapes a daemon with its token, loads the alerts and answers every query of the dashboard', async () => {
  const daemon = await places.start({ dataDir: await places.folder(), env: { SVC_METRICS_TOKEN: TOKEN } });
  const ask = await startPrometheus(await places.folder(), new URL(daemon.url).host);
  const apiKey = await signInAt(daemon, 'ada@example.com');
  await callAt(daemon.url, apiKey, '/v1/memories', { body: { content: 'Ada counts.' } });
  await vi.waitFor(async () => {
    const { data } = await ask('query', { query: 'count_over_time(svc_group_commit_writes_count{job="svc"}[1m]) > 2' });
    expect(data.result).toHaveLength(1);
  }, 30_000);

  expect((await ask('rules')).data.groups[0]!.rules.length).toBeGreaterThan(10);
  expect((await ask('targets')).data.activeTargets).toMatchObject([{ health: 'up', lastError: '' }]);

  const dashboard = JSON.parse(await readFile(file('deploy/grafana-dashboard.json'), 'utf8'));
  const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => filled(expr)),
  );
  const empty: string[] = [];
  for (const query of queries) {
    const answer = await ask('query', { query });
    expect(answer.error).toBe(undefined);
    if (answer.data.result.length === 0) empty.push(query);
  }
  // What counts daemons, which SQLite does not have.
  expect(empty.filter((query) => !/svc_daemons|svc_rate_limits/.test(query))).toEqual([]);
});
