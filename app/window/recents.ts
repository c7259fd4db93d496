// Recent folders and where windows stood: small facts about windows, kept in Electron's own data folder.
// A damaged file is forgotten: nothing in it matters enough to bother anyone.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';

const boundsSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const fileSchema = z.object({
  recents: z.array(z.object({ path: z.string(), at: z.string() })).default([]),
  bounds: z.record(z.string(), boundsSchema).default({}),
  /** folders of the windows that were open at the end; "" is a window without one */
  open: z.array(z.string()).default([]),
});
export type Bounds = z.infer<typeof boundsSchema>;

const MOST_RECENTS = 12;

export interface WindowMemory {
  recents(): readonly { path: string; at: string }[];
  remember(folder: string): void;
  forget(folder: string): void;
  bounds(folder: string): Bounds | null;
  setBounds(folder: string, bounds: Bounds): void;
}

export function openWindowMemory(userData: string): WindowMemory {
  const file = path.join(userData, 'windows.json');
  const data = load(file);
  const save = (): void => writeFileAtomic.sync(file, JSON.stringify(data, null, 1), { mode: 0o600 });
  return {
    recents: () => data.recents,
    remember(folder) {
      data.recents = [
        { path: folder, at: new Date().toISOString() },
        ...data.recents.filter((r) => r.path !== folder),
      ].slice(0, MOST_RECENTS);
      save();
    },
    forget(folder) {
      data.recents = data.recents.filter((r) => r.path !== folder);
      save();
    },
    bounds: (folder) => data.bounds[folder] ?? null,
    setBounds(folder, bounds) {
      data.bounds[folder] = bounds;
      save();
    },
  };
}

function load(file: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { recents: [], bounds: {}, open: [] }; // absent or damaged
  }
}
