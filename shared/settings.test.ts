import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultSettings, settingsSchema } from './settings';

it('has the defaults that are documented', () => {
  expect(defaultSettings()).toEqual({
    v: 1,
    checkpoints: {
      enabled: true,
      timeoutS: 60,
      maxFileBytes: 52428800,
      groups: { build: true, media: true, caches: true, archives: true, databases: true, data: true },
      disabledWorkspaces: [],
      watcher: true,
    },
    storage: { checkpoints: null, capBytes: 10737418240, keepDays: 90 },
    provider: { id: 'practice', model: null, baseUrl: null, headers: {}, contextTokens: null },
    approval: {
      auto: { read: true, edit: false, command: false, web: false, browser: false, mcp: false },
      allow: [],
      deny: [],
    },
    limits: { turns: 100, cost: null, commandTimeoutS: 120 },
    trusted: [],
    search: { engine: null, url: null },
    editor: { command: null },
    appearance: { theme: 'system', diff: 'split', zoom: 1 },
    notifications: true,
    shortcuts: {},
  });
});

it('approves nothing by itself but reading', () => {
  const { auto } = defaultSettings().approval;
  expect(Object.entries(auto).filter(([, on]) => on)).toEqual([['read', true]]);
});

it('gives each caller settings of its own', () => {
  const one = defaultSettings();
  one.trusted.push('/x');
  one.checkpoints.groups.build = false;
  expect(defaultSettings().trusted).toEqual([]);
  expect(defaultSettings().checkpoints.groups.build).toBe(true);
});

it('keeps what it does not know, at every level', () => {
  const later = {
    future: 1,
    checkpoints: { future: 2, groups: { future: true } },
    approval: { auto: { future: true } },
    provider: { future: [3] },
  };
  expect(settingsSchema.parse(later)).toMatchObject(later);
});

it('means the same when read again', () => {
  fc.assert(
    fc.property(
      fc.nat(3595),
      fc.boolean(),
      fc.constantFrom('dark', 'light'),
      fc.string(),
      (n, on, theme, word) => {
        const settings = settingsSchema.parse({
          checkpoints: { timeoutS: n + 5, enabled: on },
          appearance: { theme },
          approval: { deny: [word] },
        });
        expect(settingsSchema.parse(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
      },
    ),
  );
});

it.each([
  { checkpoints: { timeoutS: 4 } },
  { checkpoints: { maxFileBytes: -1 } },
  { storage: { keepDays: 0 } },
  { provider: { id: 'nobody' } },
  { limits: { turns: 0 } },
  { limits: { cost: 0 } },
  { appearance: { zoom: 10 } },
  { trusted: '/x' },
  { v: 2 },
])('refuses %j', (value) => {
  expect(settingsSchema.safeParse(value).success).toBe(false);
});
