// Takes candidate paths into a snapshot or says why not.
// Owns: the order of the questions (secret, LFS, size, readable) and reading. Does not own: finding candidates.
// Invariants: a secret's content never reaches the store; what is left out is named; an unreadable file that was known
// keeps its last content and is named, so it is never taken for deleted.
import { throwIfAborted } from '../../shared/errors';
import type { RelPath } from '../../shared/rel-path';
import type { Skipped } from './engine';
import { isNeverCaptured } from './exclusions';
import { errnoOf } from './failure';
import type { FileStat } from './git-index';
import type { Batch } from './objects';
import { lfsPaths, openRuleCheck } from './rule-check';
import { namesLfs, type RulesInForce } from './rules-in-force';
import { secretByContent, secretByName, secretReason } from './secrets';
import type { Store } from './shadow-repo';
import type { Cached, StatCache } from './stat-cache';
import { proofOf } from './stat-proof';
import type { Walk } from './walk';
import { isBeyondLink, lstatInside, readStill } from './work-file';

export type TakeOptions = {
  readonly store: Store;
  readonly cache: StatCache;
  readonly batch: Batch;
  readonly signal: AbortSignal;
  readonly rules: RulesInForce;
  readonly walk: Walk;
  readonly paths: ReadonlySet<RelPath>;
  readonly touched: ReadonlySet<RelPath>;
};

export type Taken = {
  readonly edits: ReadonlyMap<RelPath, Cached | null>;
  readonly skipped: readonly Skipped[];
  readonly forced: ReadonlySet<RelPath>;
};

const DENIED = 'it cannot be read (permission denied)';
/** More than fits in memory beside everything else; a larger file is left out whatever the setting says. */
const HARD_LIMIT = 1_000_000_000;
/** Objects are written in packs of about this size while a large workspace is read. */
const FLUSH_AT = 64 * 1024 * 1024;

type Verdict =
  | { readonly cached: Cached }
  | { readonly gone: true }
  | { readonly why: string; readonly keep: boolean };

/** The file's state, null when it is not there, or why nothing can be known of it. */
function statOf(o: TakeOptions, p: RelPath): FileStat | null | string {
  try {
    return lstatInside(o.store.at, p);
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === 'EACCES' || code === 'EPERM') return DENIED;
    if (code === 'ENAMETOOLONG') return 'its path is too long';
    throw thrown;
  }
}

function judge(o: TakeOptions, p: RelPath, lfs: ReadonlySet<RelPath>, forced: ReadonlySet<RelPath>): Verdict {
  const stat = statOf(o, p);
  if (typeof stat === 'string') return { why: stat, keep: true };
  if (stat === null || (!stat.isFile() && !stat.isSymbolicLink())) return { gone: true };
  const secret = secretByName(p);
  if (secret !== null) return { why: secretReason(secret), keep: false };
  if (lfs.has(p) && !forced.has(p)) return { why: 'Git LFS manages it', keep: false };
  const limit = forced.has(p) ? HARD_LIMIT : Math.min(o.store.options.maxFileBytes, HARD_LIMIT);
  if (stat.size > limit) return { why: 'it is larger than the limit for one file', keep: false };
  const read = readStill(o.store.at, p, stat);
  if (read.kind === 'gone') return { gone: true };
  if (read.kind === 'denied') return { why: DENIED, keep: true };
  if (read.kind === 'changing') return { why: 'it keeps changing while it is read', keep: true };
  const held = read.stat.isFile() ? secretByContent(p, read.body) : null;
  if (held !== null) return { why: secretReason(held), keep: false };
  const oid = o.batch.write('blob', read.body);
  return { cached: { oid, mode: Number(read.stat.mode), ...proofOf(read.stat) } };
}

/** The recorded and tracked paths that only their being recorded or tracked lets in. */
async function forcedPaths(o: TakeOptions, lfs: ReadonlySet<RelPath>): Promise<Set<RelPath>> {
  const forced = new Set(o.cache.forced);
  const walked = new Set(o.walk.files);
  const asked = [...o.paths].filter((p) => {
    const wanted = o.touched.has(p) || o.rules.project?.tracked.has(p) === true;
    // a known path that is gone may be one that the rules have come to leave out: its absence is to be on record
    const isKnown = o.cache.files.has(p) && !(o.touched.has(p) && statOf(o, p) === null);
    const open = wanted && !walked.has(p) && !forced.has(p) && !isKnown;
    // git ends when it is asked about a path beyond a link
    return open && !isBeyondLink(o.store.at, p);
  });
  const check = openRuleCheck(o.rules.layers);
  try {
    for (const p of await check.leftOut(asked)) forced.add(p);
  } finally {
    await check.close();
  }
  for (const p of o.touched) {
    const stat = statOf(o, p);
    const large = stat !== null && typeof stat !== 'string' && stat.size > o.store.options.maxFileBytes;
    if (large || lfs.has(p)) forced.add(p);
  }
  return forced;
}

export async function takeFiles(o: TakeOptions): Promise<Taken> {
  const edits = new Map<RelPath, Cached | null>();
  const skipped: Skipped[] = [];
  const paths = [...o.paths].filter((p) => !isNeverCaptured(p)).sort((a, b) => (a < b ? -1 : 1));
  const unknown = paths.filter((p) => !o.cache.files.has(p));
  const lfs = namesLfs(o.store.at, o.walk.rules, o.rules)
    ? await lfsPaths(o.rules.attributes, unknown, o.signal)
    : new Set<RelPath>();
  const forced = await forcedPaths(o, lfs);
  let count = 0;
  for (const p of paths) {
    throwIfAborted(o.signal);
    const verdict = judge(o, p, lfs, forced);
    if ('cached' in verdict) edits.set(p, verdict.cached);
    else if ('why' in verdict) skipped.push({ path: p, why: verdict.why });
    const known = o.cache.files.has(p);
    if (known && ('gone' in verdict || ('why' in verdict && !verdict.keep))) edits.set(p, null);
    if (o.batch.bytes > FLUSH_AT) await o.batch.flush();
    // reading is synchronous because that is twice as fast; let messages through now and then
    if (++count % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return { edits, skipped, forced };
}
