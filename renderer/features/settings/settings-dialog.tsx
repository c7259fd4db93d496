// Settings in sections. Each change is saved at once; what the main process made of it is what shows.
import { X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { useEffect } from 'react';
import { IconButton } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { loadProviders } from '../../store/settings';
import { closeSettings, openSettings, type SettingsSection, useUi } from '../../store/ui';
import { AboutSection } from './about-section';
import { AppearanceSection } from './appearance-section';
import { ApprovalSection } from './approval-section';
import { FeaturesSection } from './features-section';
import { ModelsSection } from './models-section';
import styles from './settings.module.css';

const SECTIONS: readonly {
  readonly id: SettingsSection;
  readonly name: string;
  readonly Content: () => React.ReactNode;
}[] = [
  { id: 'models', name: 'Models', Content: ModelsSection },
  { id: 'features', name: 'Features', Content: FeaturesSection },
  { id: 'approval', name: 'Approval', Content: ApprovalSection },
  { id: 'appearance', name: 'Appearance', Content: AppearanceSection },
  { id: 'about', name: 'About', Content: AboutSection },
];

export function SettingsDialog() {
  const section = useUi((s) => s.settings);
  const open = section !== null;
  useEffect(() => {
    if (open) void loadProviders();
  }, [open]);
  if (section === null) return null;
  return (
    <Dialog open title="Settings" hideTitle wide onClose={closeSettings}>
      <Tabs.Root
        value={section}
        orientation="vertical"
        className={styles.settings}
        onValueChange={(next) => openSettings(SECTIONS.find((s) => s.id === next)?.id ?? 'models')}
      >
        <Tabs.List className={styles.nav} aria-label="Settings sections">
          {SECTIONS.map((s) => (
            <Tabs.Trigger key={s.id} value={s.id} className={styles.navItem}>
              {s.name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {SECTIONS.map(({ id, name, Content }) => (
          <Tabs.Content key={id} value={id} className={styles.content} tabIndex={-1}>
            <h2 className={styles.title}>{name}</h2>
            <Content />
          </Tabs.Content>
        ))}
      </Tabs.Root>
      <IconButton label="Close settings" className={styles.close} onClick={closeSettings}>
        <X size={15} />
      </IconButton>
    </Dialog>
  );
}
