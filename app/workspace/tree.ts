// The file tree that people see: entries of the folders they have open, and word when those change.
// Owns: listing, watching open folders (one level each), joining changes of a moment. Does not own: tools' paths
// (resolve-inside), checkpoints: nothing depends on what is seen here.
// Invariants: names are bytes, so any name can be shown and asked for again; nothing behind a link or outside the root is
// listed; where the system cannot watch, the tree says so once and is right again after `refreshAll`.
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { TreeEntry } from '../../shared/domain';
import { TidemarkError } from '../../shared/errors';
import { type PathText, type RelPath, relPathFromText, relPathToText } from '../../shared/rel-path';

export interface Tree {
  /**
   * Entries of a folder ("" is the root), folders first, and watches it until it is closed.
   * @throws path-refused, workspace-missing (the folder is not there), workspace-denied
   */
  open(folder: RelPath): Promise<readonly TreeEntry[]>;
  closeFolder(folder: RelPath): void;
  /** Open folders whose entries may differ now, or that are gone. */
  onChange(listener: (folders: readonly PathText[]) => void): void;
  /** At most one: that the system does not watch any more. */
  onNotice(listener: (text: string) => void): void;
  /** All open folders count as changed: for when the window comes to the front. */
  refreshAll(): void;
  close(): Promise<void>;
}

/** Changes within this time are told together. */
const TOGETHER_MS = 80;
/** How long opening a folder waits for its watch. */
const READY_MS = 1000;
/** Sizes are looked up for this many entries at a time. */
const AT_ONCE = 64;
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** `root` is a real path. Nothing is watched before the first folder is opened. */
export function openTree(root: string): Tree {
  /** null: open and not watched */
  const open = new Map<RelPath, FSWatcher | null>();
  const changes = new Set<(folders: readonly PathText[]) => void>();
  const notices = new Set<(text: string) => void>();
  const changed = new Set<RelPath>();
  let timer: NodeJS.Timeout | undefined;
  let noticed = false;
  let closed = false;

  function mark(folder: RelPath): void {
    if (!open.has(folder) || closed) return;
    changed.add(folder);
    timer ??= setTimeout(tell, TOGETHER_MS);
  }

  function tell(): void {
    timer = undefined;
    const folders = [...changed].map(relPathToText);
    changed.clear();
    for (const listener of changes) listener(folders);
  }

  function cannotWatch(): void {
    if (noticed || closed) return;
    noticed = true;
    const text =
      'The system cannot watch more folders, so the file tree is brought up to date when the window comes to the front. Checkpoints are not affected.';
    for (const listener of notices) listener(text);
  }

  /** Resolves when changes from now on are seen; a large folder is not waited for, and counts as changed later. */
  async function startWatching(folder: RelPath): Promise<void> {
    // The watcher takes text only: a folder whose name is not UTF-8 is brought up to date by `refreshAll`.
    if (relPathToText(folder).pathBase64 !== undefined) return void open.set(folder, null);
    const watcher = watch(absolute(root, folder).toString('utf8'), {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (entry) => path.basename(entry) === '.git',
    });
    open.set(folder, watcher);
    watcher.on('all', (event, entry) => {
      mark(folder);
      if (event === 'unlinkDir') markBelow(entry);
    });
    await new Promise<void>((resolve) => {
      const patience = setTimeout(() => {
        watcher.once('ready', () => mark(folder));
        resolve();
      }, READY_MS);
      const begin = (): void => {
        clearTimeout(patience);
        resolve();
      };
      watcher.once('ready', begin);
      watcher.on('error', (error) => {
        begin();
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOSPC' && code !== 'EMFILE' && code !== 'ENFILE') return mark(folder); // e.g. gone
        if (open.get(folder) === watcher) open.set(folder, null);
        void watcher.close();
        cannotWatch();
      });
    });
  }

  /** A watched folder does not tell of its own end, so the one above does it for all in it. */
  function markBelow(gone: string): void {
    const folder = relPathFromText(path.relative(root, gone).split(path.sep).join('/'));
    for (const other of open.keys()) if (other === folder || other.startsWith(`${folder}/`)) mark(other);
  }

  return {
    async open(folder) {
      if (closed) return [];
      try {
        await refuseOutside(root, folder);
        if (!open.has(folder)) await startWatching(folder);
        return await entriesOf(root, folder);
      } catch (error) {
        stopWatching(open, folder); // its watch would not see the folder when that comes back
        throw meaning(error, folder);
      }
    },
    closeFolder(folder) {
      changed.delete(folder);
      stopWatching(open, folder);
    },
    onChange: (listener) => void changes.add(listener),
    onNotice: (listener) => void notices.add(listener),
    refreshAll() {
      for (const folder of open.keys()) mark(folder);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      const watchers = [...open.values()];
      open.clear();
      await Promise.all(watchers.map((w) => w?.close()));
    },
  };
}

function stopWatching(open: Map<RelPath, FSWatcher | null>, folder: RelPath): void {
  const watcher = open.get(folder);
  open.delete(folder);
  watcher?.close().catch(() => undefined); // it is of no more use, however it ends
}

/** The bytes of the absolute path: the file system takes any name this way. */
const absolute = (root: string, rel: RelPath): Buffer =>
  rel === ''
    ? Buffer.from(root)
    : Buffer.concat([Buffer.from(path.join(root, path.sep)), Buffer.from(rel, 'latin1')]);

async function entriesOf(root: string, folder: RelPath): Promise<TreeEntry[]> {
  const found = await readdir(absolute(root, folder), { withFileTypes: true, encoding: 'buffer' });
  const shown = found.filter((entry) => nameOf(entry) !== '.git');
  const entries: TreeEntry[] = [];
  for (let i = 0; i < shown.length; i += AT_ONCE) {
    const some = shown.slice(i, i + AT_ONCE).map((entry) => entryOf(root, folder, entry));
    entries.push(...(await Promise.all(some)));
  }
  const rank = (e: TreeEntry): number => (e.type === 'folder' ? 0 : 1);
  return entries.sort(
    (a, b) => rank(a) - rank(b) || byName.compare(a.name, b.name) || (a.name < b.name ? -1 : 1),
  );
}

/** The name's bytes as latin1. Node types the names of `encoding: 'buffer'` as text. */
const nameOf = (entry: Dirent<Buffer> | Dirent): string => Buffer.from(entry.name).toString('latin1');

async function entryOf(root: string, folder: RelPath, entry: Dirent<Buffer> | Dirent): Promise<TreeEntry> {
  const rel = (folder === '' ? nameOf(entry) : `${folder}/${nameOf(entry)}`) as RelPath;
  const type = entry.isDirectory()
    ? 'folder'
    : entry.isSymbolicLink()
      ? 'link'
      : entry.isFile()
        ? 'file'
        : 'other';
  const size = type === 'file' ? ((await lstat(absolute(root, rel)).catch(() => null))?.size ?? 0) : 0;
  return { ...relPathToText(rel), name: relPathToText(nameOf(entry) as RelPath).path, type, size };
}

/** @throws path-refused when the folder is not a real one inside the root */
async function refuseOutside(root: string, folder: RelPath): Promise<void> {
  const { path: shown } = relPathToText(folder);
  const parts = folder.split('/');
  const odd = folder.includes('\0') || (path.sep === '\\' && /[\\:]/.test(folder));
  if (folder !== '' && (odd || parts.some((p) => p === '' || p === '.' || p === '..'))) {
    throw new TidemarkError('path-refused', `"${shown}" is not a folder of this workspace.`);
  }
  const asked = absolute(root, folder);
  const real = await realpath(asked, 'buffer').catch((error: unknown) => {
    throw meaning(error, folder);
  });
  if (!real.equals(asked)) {
    throw new TidemarkError('path-refused', `"${shown}" lies behind a link and is not shown.`);
  }
}

function meaning(error: unknown, folder: RelPath): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const shown = folder === '' ? 'The workspace folder' : `The folder ${relPathToText(folder).path}`;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new TidemarkError('workspace-missing', `${shown} is not there any more.`, { cause: error });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new TidemarkError('workspace-denied', `${shown} cannot be read.`, { cause: error });
  }
  return error;
}
