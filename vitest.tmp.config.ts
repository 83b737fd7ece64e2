import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';
export default defineConfig({ test: { ...base.test, execArgv: process.env.X_ARGS ? process.env.X_ARGS.split(' ') : base.test!.execArgv, maxWorkers: Number(process.env.X_WORKERS ?? 3) } });
