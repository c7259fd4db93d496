// Recent folders and where windows stood: small facts about windows, kept in Electron's own data folder.
// A damaged file is forgotten: nothing in it matters enough to bother anyone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { placeKey, type WorkPlace } from '../../shared/place-key';

const boundsSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const fileSchema = z.object({
  /** `path`: the folder, or the first of those in `roots` */
  recents: z
    .array(z.object({ path: z.string(), roots: z.array(z.string()).optional(), at: z.string() }))
    .default([]),
  bounds: z.record(z.string(), boundsSchema).default({}),
  /** folders of the windows that were open at the end; "" is a window without one */
  open: z.array(z.string()).default([]),
});
export type Bounds = z.infer<typeof boundsSchema>;

const MOST_RECENTS = 12;

/** What was open: one folder, or several at once. */
export type Recent = { readonly key: string; readonly paths: readonly string[]; readonly at: string };

/** A key is `placeKey` of what a window has open; "" for a window without a folder. */
export interface WindowMemory {
  recents(): readonly Recent[];
  remember(place: WorkPlace): void;
  forget(key: string): void;
  bounds(key: string): Bounds | null;
  setBounds(key: string, bounds: Bounds): void;
}

export function openWindowMemory(userData: string): WindowMemory {
  const file = path.join(userData, 'windows.json');
  const data = load(file);
  const save = (): void => writeFileAtomic.sync(file, JSON.stringify(data, null, 1), { mode: 0o600 });
  return {
    recents: () => data.recents.map((r) => ({ key: keyOf(r), paths: r.roots ?? [r.path], at: r.at })),
    remember(place) {
      const { workspace, roots = [] } = place;
      const several = roots.length > 1 ? { roots: [...roots] } : {};
      data.recents = [
        { path: workspace, ...several, at: new Date().toISOString() },
        ...data.recents.filter((r) => keyOf(r) !== placeKey(place)),
      ].slice(0, MOST_RECENTS);
      save();
    },
    forget(key) {
      data.recents = data.recents.filter((r) => keyOf(r) !== key);
      save();
    },
    bounds: (key) => data.bounds[key] ?? null,
    setBounds(key, bounds) {
      data.bounds[key] = bounds;
      save();
    },
  };
}

const keyOf = (r: { path: string; roots?: string[] | undefined }): string =>
  placeKey({ workspace: r.path, roots: r.roots });

function load(file: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { recents: [], bounds: {}, open: [] }; // absent or damaged
  }
}
