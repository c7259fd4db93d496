// Making the store of a workspace: an empty repository with its own configuration, put in place as a whole.
// Owns: what is in a new store. Invariant: two processes that make the same one at the same time end with one of them.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { placeDurably, syncFolder } from './durable';
import { errnoOf } from './failure';
import { initRepository } from './git-cold';
import { NULL_DEVICE } from './git-env';
import { keepMeta } from './meta';
import type { Store } from './shadow-repo';

export const STORE_VERSION = 1;

/** A value as git's configuration file takes it, whatever is in it. */
function quoted(value: string): string {
  const escaped = value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

const configText = (workspace: string, filemode: boolean): string => `[core]
\trepositoryformatversion = 0
\tbare = false
\tworktree = ${quoted(workspace)}
\tlogAllRefUpdates = false
\tautocrlf = false
\tsafecrlf = false
\tfilemode = ${filemode}
\tsymlinks = true
\tquotePath = false
\tlongpaths = true
\tprecomposeUnicode = false
\tpreloadIndex = true
\tuntrackedCache = false
\tfsmonitor = false
\ttrustctime = true
\tcheckStat = default
\thooksPath = ${NULL_DEVICE}
\tcompression = 1
\tbigFileThreshold = 32m
[index]
\tversion = 2
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
[user]
\tname = Tidemark Checkpoint
\temail = checkpoints@tidemark.invalid
[tidemark]
\tversion = ${STORE_VERSION}
`;

/** Highest precedence of all attributes: nothing converts a byte, nothing hides a difference. */
const ATTRIBUTES = '* -text -eol -ident !filter !working-tree-encoding -crlf !diff !merge\n';

/** Moves what was made into the store's folder, which may be there already: the lock lies in it. */
function putInPlace(making: string, folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of ['meta.json', '.git']) {
    try {
      fs.renameSync(path.join(making, name), path.join(folder, name));
    } catch (thrown) {
      // another process was quicker: its store serves
      if (errnoOf(thrown) !== 'ENOTEMPTY' && errnoOf(thrown) !== 'EEXIST') throw thrown;
    }
  }
  syncFolder(folder);
  syncFolder(path.dirname(folder));
}

/** Makes the store. */
export async function makeStore(store: Store): Promise<void> {
  fs.mkdirSync(store.options.checkpointsFolder, { recursive: true, mode: 0o700 });
  const making = `${store.folder}.making-${randomBytes(6).toString('hex')}`;
  fs.mkdirSync(making, { mode: 0o700 });
  try {
    const gitDir = path.join(making, '.git');
    await initRepository({ program: store.program, gitDir, cwd: making });
    const config = configText(store.workspace, process.platform !== 'win32');
    placeDurably(path.join(gitDir, 'config'), [Buffer.from(config)]);
    for (const folder of ['info', 'tidemark/home', 'objects/pack']) {
      fs.mkdirSync(path.join(gitDir, folder), { recursive: true });
    }
    placeDurably(path.join(gitDir, 'info', 'attributes'), [Buffer.from(ATTRIBUTES)]);
    keepMeta(making, store.workspace);
    putInPlace(making, store.folder);
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
}
