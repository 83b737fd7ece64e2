import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOOK_TABLE } from '../../../src/cli/assistants/hook-table.ts';

describe.each(Object.entries(HOOK_TABLE))('editing hooks of %s', (id, { editor, events, allowed }) => {
  const names = Object.keys(events);
  const [first, second] = names as [string, string];
  const own = {
    commands: Object.fromEntries(
      names.map((name, index) => [name, `${index === 0 ? '/n "/a b/svc"' : 'svc'} hook stop --client ${id}`]),
    ),
    allowed,
  };
  const isGrouped = 'hooks' in JSON.parse(editor.write('', own)).hooks[first][0];
  const readsComments = !['claude-code', 'codex', 'copilot'].includes(id);
  const version: number | undefined = JSON.parse(editor.write('', own)).version;

  const hook = fc.record({
    type: fc.constant('command'),
    command: fc.constantFrom('lint', 'svc-lint hook', 'echo ключ'),
  });
  const group = fc.record(
    { matcher: fc.constantFrom('', 'Bash', 'startup|resume'), hooks: fc.array(hook, { minLength: 1, maxLength: 2 }) },
    { requiredKeys: ['hooks'] },
  );
  const listed = fc.array<unknown>(isGrouped ? group : hook, { minLength: 1, maxLength: 2 });
  const settings = fc
    .record(
      {
        ...(version !== undefined && { version: fc.constant(version) }),
        model: fc.constant('opus'),
        hooks: fc.record({ [first]: listed, Other: listed }, { requiredKeys: ['Other'] }),
        permissions: fc.record({ allow: fc.constant(['Bash(ls)', 'mcp__other__x']), deny: fc.constant([]) }),
        last: fc.constant({ nested: [1, { a: null }] }),
      },
      { requiredKeys: ['model'] },
    )
    .chain((data) =>
      fc
        .tuple(
          fc.constantFrom<string | number>(2, 4, '\t'),
          fc.constantFrom('\n', '\r\n'),
          fc.constantFrom('', '\n'),
          fc.constantFrom<string>('', ...(readsComments ? ['// mine: "hooks": {}\n', '/* { */ '] : [])),
        )
        .map(([unit, lineBreak, end, comment]) =>
          (comment + JSON.stringify(data, null, unit) + end).replaceAll('\n', lineBreak),
        ),
    );

  test('adding and removing them restores any file byte for byte, and everything else is preserved', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const added = editor.write(text, own);
        expect(editor.read(added)).toEqual(own);
        expect(editor.write(added, own)).toBe(added);
        expect(editor.remove(added)).toBe(text);
        expect(editor.remove(text)).toBe(text);
      }),
      { numRuns: 25 },
    );
  });

  test('a command that has changed is updated in place, with what its owner added', () => {
    const old = { type: 'command', command: 'svc hook stop --client x', timeout: 9 };
    const text = JSON.stringify({ hooks: { [second]: [isGrouped ? { matcher: 'm', hooks: [old] } : old] } });
    const updated = { ...old, command: own.commands[second] };
    const commands = { [second]: own.commands[second]! };
    expect(JSON.parse(editor.write(text, { commands, allowed: [] }))).toEqual({
      hooks: { [second]: [isGrouped ? { matcher: 'm', hooks: [updated] } : updated] },
    });
  });

  test('a hook that its owner added beside it stays, and no second one of svc', () => {
    const added = JSON.parse(editor.write('', own));
    const lint = { type: 'command', command: 'lint' };
    if (isGrouped) added.hooks[first][0].hooks.push(lint);
    else added.hooks[first].push(lint);
    added.hooks[first].push(JSON.parse(editor.write('', own)).hooks[first][0]);
    expect(JSON.parse(editor.remove(JSON.stringify(added)))).toEqual({
      ...(version && { version }),
      hooks: { [first]: [isGrouped ? { hooks: [lint] } : lint] },
    });
  });

  test.each([
    '{ "hooks": { ',
    ...(readsComments ? [] : ['{ // mine\n }']),
    '{"hooks": []}',
    `{"hooks": {"${first}": {}}}`,
  ])('%j is rejected', (text) => {
    expect(() => editor.write(text, own)).toThrow(/line 1, column \d+/);
  });
});
