import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const text = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const [, image = ''] = (await text('Dockerfile')).split('FROM debian');
const value = (pattern: RegExp) => pattern.exec(image)?.[1];

test('the image keeps the data in its volume, a folder of the user that it runs as and of nobody else', () => {
  const folder = value(/SVC_DATA_DIR=(\S+)/);
  expect(folder).toMatch(/^\//);
  expect([value(/^VOLUME (.+)$/m), value(/^WORKDIR (.+)$/m)]).toEqual([folder, folder]);
  const [user, name] = [value(/^USER (\d+):\d+$/m), value(/useradd --uid \d+ .*?(\w+) \\$/m)];
  expect(image).toContain(`useradd --uid ${user} `);
  // The owner of a folder in the image becomes that of a new volume, unless it is made after VOLUME.
  expect(image.split('\nVOLUME')[0]).toContain(`install -d -o ${name} -g ${name} -m 0700 ${folder}`);
});

test('Compose mounts a volume that outlives the container there, and nothing else can be written but /tmp', async () => {
  const { services, volumes } = parse(await text('deploy/compose.yaml'));
  expect(services.svc).toMatchObject({ read_only: true, tmpfs: '/tmp', restart: 'unless-stopped' });
  expect(services.svc.volumes).toEqual([`data:${value(/SVC_DATA_DIR=(\S+)/)}`]);
  expect(volumes).toHaveProperty('data');
});
