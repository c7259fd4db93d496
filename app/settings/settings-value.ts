// Settings out of whatever stands in the file, and changes to it. Pure.
// Owns: falling back value by value, merging. Does not own: the shape (shared/settings), the file.
// Invariant: one wrong value costs only itself; what is unknown stays.
import { type Settings, type SettingsPatch, settingsSchema } from '../../shared/settings';
import { isObject, type JsonObject } from './json-file';

export type Understood = {
  readonly settings: Settings;
  /** the file's content without what was wrong in it */
  readonly clean: JsonObject;
  /** one sentence for each wrong value */
  readonly notices: readonly string[];
};

export function understand(raw: JsonObject): Understood {
  let clean = raw;
  const notices: string[] = [];
  for (;;) {
    const result = settingsSchema.safeParse(clean);
    if (result.success) return { settings: result.data, clean, notices };
    const issue = result.error.issues[0];
    const where = issue?.path ?? [];
    const next = without(clean, where);
    if (issue === undefined || next === clean) {
      // Cannot be: an object without the wrong value is an object with a default in its place.
      return { settings: settingsSchema.parse({}), clean: {}, notices: ['settings.json was not used.'] };
    }
    notices.push(
      `settings.json: ${where.map(String).join('.')} is not usable (${issue.message}); its default is used.`,
    );
    clean = next;
  }
}

/** The value without what is at this path; an item of a list is taken out of it. */
function without(value: JsonObject, where: readonly PropertyKey[]): JsonObject {
  const [key, ...rest] = where;
  if (key === undefined) return value;
  const { [String(key)]: inner, ...others } = value;
  if (rest.length === 0) return others;
  if (Array.isArray(inner)) return { ...others, [String(key)]: inner.filter((_, i) => i !== rest[0]) };
  return isObject(inner) ? { ...others, [String(key)]: without(inner, rest) } : others;
}

/** Free-form maps: a patch gives them whole, else nothing could be taken out of them. Lists are whole anyway. */
const WHOLE = new Set(['provider.headers', 'shortcuts']);

/** `undefined` changes nothing. */
export function merge(value: JsonObject, patch: SettingsPatch | JsonObject, at = ''): JsonObject {
  const merged: Record<string, unknown> = { ...value };
  for (const [key, change] of Object.entries(patch)) {
    if (change === undefined || key === '__proto__') continue;
    const where = at === '' ? key : `${at}.${key}`;
    const old = merged[key];
    merged[key] =
      isObject(change) && !WHOLE.has(where) ? merge(isObject(old) ? old : {}, change, where) : change;
  }
  return merged;
}
