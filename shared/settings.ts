// settings.json: its shape and defaults (SPEC 12).
// Owns: names, bounds, defaults. Does not own: reading and writing the file (app/settings), keys (never in here).
// Invariant: unknown keys are kept, so that an older program does not destroy what a newer one wrote.
import { z } from 'zod';

/** Ids of the providers, in the order in which they are listed. */
export const PROVIDER_IDS = ['anthropic', 'openai', 'openai-compatible', 'ollama', 'practice'] as const;
export type ProviderId = (typeof PROVIDER_IDS)[number];

const groups = z.looseObject({
  build: z.boolean().default(true),
  media: z.boolean().default(true),
  caches: z.boolean().default(true),
  archives: z.boolean().default(true),
  databases: z.boolean().default(true),
  data: z.boolean().default(true),
});

export const settingsSchema = z.looseObject({
  v: z.literal(1).default(1),
  checkpoints: z
    .looseObject({
      enabled: z.boolean().default(true),
      /** how long a start may take before it is an error */
      timeoutS: z.number().int().min(5).max(3600).default(60),
      maxFileBytes: z.number().int().min(0).default(52_428_800),
      groups: groups.prefault({}),
      /** real paths of workspaces with checkpoints off */
      disabledWorkspaces: z.array(z.string()).default([]),
      watcher: z.boolean().default(true),
    })
    .prefault({}),
  storage: z
    .looseObject({
      /** another folder for the stores; null: `<home>/checkpoints` */
      checkpoints: z.string().nullable().default(null),
      capBytes: z.number().int().min(0).default(10_737_418_240),
      keepDays: z.number().int().min(1).default(90),
    })
    .prefault({}),
  provider: z
    .looseObject({
      id: z.enum(PROVIDER_IDS).default('practice'),
      model: z.string().nullable().default(null),
      baseUrl: z.string().nullable().default(null),
      headers: z.record(z.string(), z.string()).default({}),
      contextTokens: z.number().int().positive().nullable().default(null),
    })
    .prefault({}),
  approval: z
    .looseObject({
      auto: z
        .looseObject({
          read: z.boolean().default(true),
          edit: z.boolean().default(false),
          command: z.boolean().default(false),
          web: z.boolean().default(false),
          browser: z.boolean().default(false),
          mcp: z.boolean().default(false),
        })
        .prefault({}),
      /** command prefixes that need no approval */
      allow: z.array(z.string()).default([]),
      /** command prefixes that are refused; they win */
      deny: z.array(z.string()).default([]),
    })
    .prefault({}),
  limits: z
    .looseObject({
      turns: z.number().int().min(1).default(100),
      cost: z.number().positive().nullable().default(null),
      commandTimeoutS: z.number().int().min(1).default(120),
    })
    .prefault({}),
  /** real paths of folders that the user trusts */
  trusted: z.array(z.string()).default([]),
  search: z
    .looseObject({ engine: z.string().nullable().default(null), url: z.string().nullable().default(null) })
    .prefault({}),
  editor: z.looseObject({ command: z.string().nullable().default(null) }).prefault({}),
  appearance: z
    .looseObject({
      theme: z.enum(['system', 'light', 'dark']).default('system'),
      diff: z.enum(['split', 'unified']).default('split'),
      zoom: z.number().min(0.5).max(3).default(1),
    })
    .prefault({}),
  notifications: z.boolean().default(true),
  shortcuts: z.record(z.string(), z.string()).default({}),
});
export type Settings = z.infer<typeof settingsSchema>;

/** The settings of a fresh machine. */
export const defaultSettings = (): Settings => settingsSchema.parse({});

/** A change to settings: only what is given changes; lists are replaced whole. */
export type SettingsPatch = {
  readonly [K in keyof Settings]?: Settings[K] extends object ? Partial<Settings[K]> : Settings[K];
};
