// tidemark recover: which deleted folders can be brought back, and bringing one back.
import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { CliContext } from './context';
import { printable, printJson, shortTime, table } from './output';

export async function recover(
  c: CliContext,
  folder: string | undefined,
  o: { readonly to?: string },
): Promise<number> {
  return folder === undefined ? list(c) : bringBack(c, folder, o.to);
}

async function list(c: CliContext): Promise<number> {
  const folders = await c.runtime.lostFolders({ signal: c.signal });
  if (c.streams.json) printJson(c.streams, { folders });
  else if (folders.length === 0) c.streams.out.write('No deleted folder has checkpoints here.\n');
  else {
    const rows = folders.map((f) => [shortTime(f.at), `${f.files}`, f.workspace]);
    c.streams.out.write(`${table(['last saved', 'files', 'folder'], rows)}\n`);
  }
  return 0;
}

async function bringBack(c: CliContext, folder: string, to: string | undefined): Promise<number> {
  const workspace = realPathOf(path.resolve(folder));
  const { unreadable, ...done } = await c.runtime.recoverFolder({
    workspace,
    to: to === undefined ? workspace : path.resolve(to),
    signal: c.signal,
  });
  if (unreadable > 0) {
    c.streams.err.write(
      'tidemark: a snapshot of this folder cannot be read; what came back may not be the newest state\n',
    );
  }
  if (c.streams.json) printJson(c.streams, done);
  else c.streams.out.write(`${done.files} files from ${shortTime(done.at)} are in ${printable(done.to)}\n`);
  return 0;
}

/** The real path of a folder that may be gone, as far up as there is one: stores go by real paths. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(realPathOf(above), path.basename(folder));
  }
}
