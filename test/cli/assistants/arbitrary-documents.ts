import fc from 'fast-check';

/** A text, and what its server list contains: other servers (`shared`), nothing (`empty`), or it does not exist. */
export interface ArbitraryDocument {
  text: string;
  serverList: 'shared' | 'empty' | 'absent';
}

const WORDS = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'ключ',
  '鍵',
  'emoji 🧠',
  "it's",
  'a "quoted" word',
  'x/y',
  'svc-old',
];
const COMMENTS = ['note', 'keep me, please', '{ "not": "json" }', '[not.a.table]', 'ключ: значение', 'trailing \\'];

const word = fc.constantFrom(...WORDS);
const comment = fc.constantFrom(...COMMENTS);
const names = (max: number) => fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: max });
const lineBreak = fc.constantFrom('\n', '\r\n');

/** Lenient JSON with comments and trailing commas, laid out at random. */
export function jsonDocument(container: string): fc.Arbitrary<ArbitraryDocument> {
  const scalar = fc.oneof(
    fc.integer().map(String),
    fc.constantFrom('true', 'false', 'null', '1.50', '-2e3'),
    word.map((text) => JSON.stringify(text)),
  );
  const blank = fc.constantFrom('', '', ' ', '\n', '\n  ', '\n\t', '\n    ', '\n\n');
  const remark = fc.oneof(
    comment.map((text) => `// ${text}\n`),
    comment.map((text) => `/* ${text} */`),
    fc.constant('/* two\n lines */'),
  );
  const trivia = fc.tuple(blank, fc.option(remark, { nil: '', freq: 4 }), blank).map((parts) => parts.join(''));
  const joined = (members: [string, string, string][], open: string, close: string, trailing: boolean) => {
    const inner = members.map(([before, text, after], index) => {
      const comma = index < members.length - 1 || trailing ? ',' : '';
      return before + text + after + comma;
    });
    return open + inner.join('') + close;
  };
  const value = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      scalar,
      fc
        .tuple(fc.array(fc.tuple(trivia, tie('value'), trivia), { maxLength: 3 }), fc.boolean())
        .map(([items, trailing]) => joined(items, '[', ']', trailing)),
      object(names(3), tie('value')),
    ),
  })).value;
  function object(keys: fc.Arbitrary<string[]>, inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
    return keys.chain((chosen) =>
      fc
        .tuple(
          fc.array(fc.tuple(trivia, trivia, inner, trivia), { minLength: chosen.length, maxLength: chosen.length }),
          fc.boolean(),
          trivia,
        )
        .map(([parts, trailing, end]) => {
          const members = parts.map(([before, colon, text, after], index): [string, string, string] => [
            before,
            `${JSON.stringify(chosen[index])}:${colon}${text}`,
            after,
          ]);
          return joined(members, '{', `${end}}`, trailing);
        }),
    );
  }
  const servers = names(3).chain((keys) =>
    object(fc.constant(keys), object(fc.constant(['command', 'args'].slice(0, keys.length)), value)).map((text) => ({
      text,
      serverList: keys.length > 0 ? ('shared' as const) : ('empty' as const),
    })),
  );
  return fc
    .tuple(
      trivia,
      names(3),
      fc.option(servers, { freq: 4 }),
      fc.array(fc.tuple(trivia, value, trivia), { minLength: 3, maxLength: 3 }),
      fc.nat(3),
      fc.boolean(),
      trivia,
      trivia,
      lineBreak,
    )
    .map(([start, keys, list, parts, at, trailing, inside, end, eol]) => {
      const members = keys.map((key, index): [string, string, string] => {
        const [before, text, after] = parts[index]!;
        return [before, `${JSON.stringify(key)}: ${text}`, after];
      });
      if (list) members.splice(Math.min(at, members.length), 0, ['\n  ', `"${container}": ${list.text}`, '']);
      const text = start + joined(members, '{', `${inside}}`, trailing && members.length > 0) + end;
      return { text: text.replaceAll('\n', eol), serverList: list ? list.serverList : ('absent' as const) };
    });
}

/** A JSON document whose server list is inside the object `outer`. */
export function nestedDocument(outer: string, container: string): fc.Arbitrary<ArbitraryDocument> {
  return jsonDocument(container).map(({ text, serverList }) => ({ text: `{"${outer}": ${text}\n}`, serverList }));
}

/** TOML tables with comments, all kinds of strings and other servers. */
export const tomlDocument: fc.Arbitrary<ArbitraryDocument> = (() => {
  const value = fc.constantFrom(
    '1',
    '1_000',
    '3.0',
    'inf',
    'true',
    '"text # no comment"',
    "'literal \\ [x]'",
    '"""\nseveral\n[not.a.table]\nlines = "x"\n"""',
    "'''\nliteral\n# no comment\n'''",
    '"escaped \\" quote"',
    '1979-05-27T07:32:00Z',
    '1979-05-27 07:32:00',
    '[1, 2, 3]',
    '[\n  "a", # in the list ]\n  "b",\n]',
    '{ inner = 1, "quoted key" = [ { x = "}" } ] }',
    '[]',
    '{}',
  );
  const keyOf = (name: string) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));
  const pairs = names(3).chain((keys) =>
    fc
      .array(
        fc.tuple(
          value,
          fc.option(comment, { nil: undefined, freq: 3 }),
          fc.constantFrom('', '  ', '\t'),
          fc.constantFrom('=', ' = ', '\t=  '),
        ),
        {
          minLength: keys.length,
          maxLength: keys.length,
        },
      )
      .map((parts) =>
        parts
          .map(
            ([text, remark, indent, equals], i) =>
              `${indent}${keyOf(keys[i]!)}${equals}${text}${remark ? ` # ${remark}` : ''}\n`,
          )
          .join(''),
      ),
  );
  const remarks = fc.array(
    fc.oneof(
      comment.map((text) => `# ${text}\n`),
      fc.constantFrom('\n', '  \n'),
    ),
    { maxLength: 3 },
  );
  const header = fc.constantFrom(
    (name: string) => `[${name}]`,
    (name: string) => `[ ${name} ]`,
    (name: string) => `  [${name}] # header`,
  );
  const tables = fc.uniqueArray(
    fc.constantFrom(
      'tools',
      'mcp_servers.other',
      'mcp_servers."a b"',
      'mcp_servers.other.env',
      'profiles.x',
      'mcp_servers.svc-old',
    ),
    { maxLength: 5 },
  );
  return fc
    .tuple(
      remarks,
      pairs,
      tables,
      fc.array(fc.tuple(header, pairs, remarks), { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      remarks,
      lineBreak,
      fc.boolean(),
    )
    .map(([start, top, chosen, parts, lists, end, eol, final]) => {
      const written = chosen.map((name, i) => `${parts[i]![0](name)}\n${parts[i]![1]}${parts[i]![2].join('')}`);
      const arrays = lists ? '[[list]]\nx = 1\n\n[[list]]\nx = 2\n' : '';
      const text = start.join('') + top + written.join('') + arrays + end.join('');
      return { text: (final ? text : text.replace(/\n$/, '')).replaceAll('\n', eol), serverList: 'shared' as const };
    });
})();

/** YAML maps in block and flow style. `kind` is the type of the server list: a map, or a list of named maps. */
export function yamlDocument(container: string, kind: 'map' | 'list'): fc.Arbitrary<ArbitraryDocument> {
  const scalar = fc.constantFrom(
    '1',
    '3.0',
    'true',
    '~',
    'plain text',
    '"double: \\" # no"',
    "'single ''#'",
    'http://x/y#z',
    '2001-01-01',
  );
  const flow = fc.constantFrom('{}', '[]', '{a: 1, b: [x, "y, z"]}', '[1, {c: d},]', '{"j": {"k": null}}');
  const remark = fc.option(comment, { nil: undefined, freq: 3 });
  const between = fc.array(
    fc.oneof(
      comment.map((text) => `# ${text}\n`),
      fc.constantFrom('\n', '   # odd\n'),
    ),
    { maxLength: 2 },
  );
  const keyOf = (name: string) => (/^\w+$/.test(name) ? name : JSON.stringify(name));
  type Value = (indent: string) => string;
  const line = fc.tuple(fc.oneof(scalar, flow), remark).map(
    ([text, note]): Value =>
      () =>
        ` ${text}${note ? ` # ${note}` : ''}\n`,
  );
  const literal = fc.constantFrom('|', '|-', '>', '>-').map(
    (style): Value =>
      (indent) =>
        ` ${style}\n${indent}first # no comment\n\n${indent}  more: text\n`,
  );
  const nested = (inner: fc.Arbitrary<Value>) =>
    fc.tuple(fc.constantFrom('  ', '    '), members(inner, 1)).map(
      ([unit, body]): Value =>
        (indent) =>
          `\n${body(indent.slice(2) + unit)}`,
    );
  function members(
    inner: fc.Arbitrary<Value>,
    min = 0,
    keys = fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: min, maxLength: 3 }),
  ) {
    return keys.chain((chosen) =>
      fc.array(fc.tuple(inner, between), { minLength: chosen.length, maxLength: chosen.length }).map(
        (parts): Value =>
          (indent) =>
            parts
              .map(([value, gap], i) => `${indent}${keyOf(chosen[i]!)}:${value(`${indent}  `)}${gap.join('')}`)
              .join(''),
      ),
    );
  }
  const value = fc.oneof(line, literal, nested(fc.oneof(line, literal)));
  const list = fc
    .tuple(fc.constantFrom('', '  '), fc.array(fc.tuple(members(line, 1), between), { minLength: 1, maxLength: 3 }))
    .map(
      ([dash, items]): Value =>
        () =>
          `\n${items.map(([body, gap], i) => `${dash}- name: server${i}\n${body(`${dash}  `)}${gap.join('')}`).join('')}`,
    );
  const full: fc.Arbitrary<Value> = kind === 'list' ? list : nested(value);
  const empty = fc.constantFrom('\n', ' # none\n', kind === 'list' ? ' []\n' : ' {}\n', ' ~\n').map(
    (text): Value =>
      () =>
        text,
  );
  const flowing = fc.constant((() => (kind === 'list' ? ' [{name: a}]\n' : ' {a: {b: c}, d: 1}\n')) as Value);
  const serverList = fc.oneof(
    full.map((text) => ({ text, serverList: 'shared' as const })),
    flowing.map((text) => ({ text, serverList: 'shared' as const })),
    empty.map((text) => ({ text, serverList: 'empty' as const })),
  );
  return fc
    .tuple(
      between,
      members(value, 1),
      fc.option(serverList, { freq: 5 }),
      members(value),
      fc.boolean(),
      lineBreak,
      fc.boolean(),
    )
    .map(([start, first, chosen, , after, eol, final]) => {
      const tail = after ? '# the end\nzulu: 26\n' : '';
      const own = chosen ? `${container}:${chosen.text('  ')}` : '';
      const text = start.join('') + first('') + own + tail;
      return {
        text: (final ? text : text.replace(/\n$/, '')).replaceAll('\n', eol),
        serverList: chosen?.serverList ?? ('absent' as const),
      };
    });
}
