import { Segmented } from '../../components/segmented';
import { saveSettings, useSettings } from '../../store/settings';
import { attempt } from '../../store/toast';
import styles from './settings.module.css';

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
const LAYOUTS = [
  { value: 'split', label: 'Split' },
  { value: 'unified', label: 'Unified' },
] as const;

export function AppearanceSection() {
  const appearance = useSettings((s) => s.settings?.appearance);
  if (appearance === undefined) return null;
  return (
    <>
      <div className={styles.row}>
        <p className={styles.label}>Theme</p>
        <div className={styles.line}>
          <Segmented
            label="Theme"
            value={appearance.theme}
            options={THEMES}
            onChange={(theme) => {
              void saveSettings({ appearance: { theme } });
              void attempt('window.theme', { theme });
            }}
          />
        </div>
      </div>
      <div className={styles.row}>
        <p className={styles.label}>Changes</p>
        <p className={styles.help}>Both versions side by side, or one below the other</p>
        <div className={styles.line}>
          <Segmented
            label="Changes layout"
            value={appearance.diff}
            options={LAYOUTS}
            onChange={(diff) => void saveSettings({ appearance: { diff } })}
          />
        </div>
      </div>
    </>
  );
}
