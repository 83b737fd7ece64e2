import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages with native code, which are installed beside the program. Everything else is bundled into it. */
const INSTALLED = ['sqlite3', 'sqlite-vec', '@napi-rs/keyring'];

/** Packages that bundled ones load only in ways that svc never uses them. They are not installed. */
const NEVER_LOADED = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'react-devtools-core',
  'tedious',
];

/** Build options of the daemon and the command line. Code splitting loads the chunks of a command only when it runs. */
export const daemonBuild = {
  entryPoints: {
    main: `${root}src/main.ts`,
    'terms-worker': `${root}src/features/text/terms-worker.ts`,
    'tokens-worker': `${root}src/outside/tokens-worker.ts`,
  },
  outdir: `${root}dist`,
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  external: [...INSTALLED, ...NEVER_LOADED],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // jsonc-parser's other form hides what it requires from the bundler.
  mainFields: ['module', 'main'],
  chunkNames: '[name]-[hash]',
  // React and its renderer have a slower build for development.
  define: { 'process.env.NODE_ENV': '"production"' },
  // Bundled CommonJS calls `require` for Node's own modules, and ES modules have none.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  // Names stay, so that a stack trace can be read; short lines let it point somewhere.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};
