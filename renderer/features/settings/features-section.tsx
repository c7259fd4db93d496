import { SwitchRow } from '../../components/switch';
import { saveSettings, useSettings } from '../../store/settings';

export function FeaturesSection() {
  const enabled = useSettings((s) => s.settings?.checkpoints.enabled);
  if (enabled === undefined) return null;
  return (
    <SwitchRow
      title="Checkpoints"
      text="Save progress at key points for easy rollback"
      checked={enabled}
      onChange={(next) => void saveSettings({ checkpoints: { enabled: next } })}
    />
  );
}
