// What the agent may do without asking. The menu says what that does not mean.
import { Check, ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import menu from '../../components/menu.module.css';
import { APPROVALS } from '../../store/approvals';
import { saveSettings, useSettings } from '../../store/settings';
import styles from './composer.module.css';

export function AutoApprove() {
  const auto = useSettings((s) => s.settings?.approval.auto);
  if (auto === undefined) return null;
  const on = APPROVALS.filter((a) => auto[a.category] === true).length;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className={styles.chip}>
        Auto-approve: {on === 0 ? 'nothing' : on} <ChevronDown size={12} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={`${menu.menu} ${styles.menu}`}
          side="top"
          align="start"
          sideOffset={6}
          aria-label="Auto-approve"
        >
          <DropdownMenu.Label className={menu.label}>Without asking</DropdownMenu.Label>
          {APPROVALS.map((a) => (
            <DropdownMenu.CheckboxItem
              key={a.category}
              className={`${menu.item} ${styles.check}`}
              checked={auto[a.category] === true}
              onCheckedChange={(checked) =>
                void saveSettings({ approval: { auto: { ...auto, [a.category]: checked } } })
              }
              onSelect={(e) => e.preventDefault()}
            >
              <span>{a.name}</span>
              <DropdownMenu.ItemIndicator>
                <Check size={14} aria-hidden />
              </DropdownMenu.ItemIndicator>
            </DropdownMenu.CheckboxItem>
          ))}
          <div className={menu.separator} />
          <p className={menu.note}>
            Applies in every folder. Auto-approve does not review; use View Changes.
          </p>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
