// How far a run goes before it asks "Continue?".
import { saveSettings, useSettings } from '../../store/settings';
import { TextSetting } from './text-setting';

/** null: not a number that can be a limit. */
function limitOf(text: string): number | null {
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) && value > 0 ? value : null;
}

export function Limits() {
  const limits = useSettings((s) => s.settings?.limits);
  if (limits === undefined) return null;
  return (
    <>
      <TextSetting
        label="Turns of a run"
        help="After so many answers of the model, the run asks “Continue?”."
        value={String(limits.turns)}
        onSave={(text) => {
          const turns = limitOf(text);
          if (turns !== null) void saveSettings({ limits: { turns: Math.max(1, Math.round(turns)) } });
        }}
      />
      <TextSetting
        label="Cost of a run"
        help="In the currency of the provider, where it tells the cost. Empty: no limit."
        value={limits.cost === null ? '' : String(limits.cost)}
        placeholder="No limit"
        onSave={(text) => {
          if (text === '' || limitOf(text) !== null) void saveSettings({ limits: { cost: limitOf(text) } });
        }}
      />
    </>
  );
}
