import { expect, test } from 'vitest';
import { cleanEnvironment, electronArguments } from './handover.mjs';

test('npm and editors leave no trace in the environment', () => {
  const env = {
    PATH: '/bin',
    npm_config_x: '1',
    npm_lifecycle_event: 'start',
    INIT_CWD: '/',
    ELECTRON_RUN_AS_NODE: '1',
  };
  expect(cleanEnvironment(env)).toEqual({ PATH: '/bin' });
});

test('only root runs without the sandbox', () => {
  const common = { app: '/app', rest: ['/a b'] };
  expect(electronArguments({ ...common, root: true, old: true })).toEqual([
    '--no-sandbox',
    '/app',
    '--old-electron',
    '/a b',
  ]);
  expect(electronArguments({ ...common, root: false, old: false })).toEqual(['/app', '/a b']);
});
