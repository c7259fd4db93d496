// tidemark doctor: is everything there that Tidemark needs, and is this folder's store sound?
import { accessSync, constants, existsSync } from 'node:fs';
import { toErrorInfo } from '../../shared/errors';
import { type CliContext, openFolderOf } from './context';
import { printable, printJson } from './output';

type Check = {
  readonly id: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly hint: string | null;
};

export async function doctor(c: CliContext, version: string): Promise<number> {
  const checks: Check[] = [
    {
      id: 'version',
      ok: true,
      detail: `Tidemark ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
      hint: null,
    },
    await check('git', async () => `git ${await c.runtime.gitVersion()}`),
    await check('home', async () => {
      if (existsSync(c.runtime.home)) accessSync(c.runtime.home, constants.R_OK | constants.W_OK);
      return c.runtime.home;
    }),
    await check('settings', async () => {
      const [notice] = c.runtime.settings.notices();
      if (notice !== undefined) throw new Error(notice);
      return c.runtime.paths.settings;
    }),
    await check('tasks', async () => `${(await c.runtime.tasks()).length} tasks`),
    await check('store', async () => {
      const folder = await openFolderOf(c);
      const state = folder.checkpoints.state();
      if (state.state === 'off') return state.message;
      const engine = await folder.service.engine();
      const store = await engine.state({ signal: c.signal });
      return `${folder.root}: ${store.snapshots} snapshots, ${store.bytes} bytes`;
    }),
  ];
  const ok = checks.every((x) => x.ok);
  if (c.streams.json) printJson(c.streams, { ok, checks });
  else {
    for (const x of checks) {
      c.streams.out.write(
        `${x.ok ? '✓' : '✗'} ${x.id}: ${printable(x.detail)}${x.hint === null ? '' : ` ${printable(x.hint)}`}\n`,
      );
    }
  }
  if (ok) return 0;
  return checks.find((x) => !x.ok)?.id === 'git' ? 3 : 1;
}

async function check(id: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { id, ok: true, detail: await look(), hint: null };
  } catch (error) {
    const info = toErrorInfo(error);
    return { id, ok: false, detail: info.message, hint: info.hint ?? null };
  }
}
