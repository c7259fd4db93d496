import { X } from 'lucide-react';
import { IconButton } from '../../components/button';
import { SwitchRow } from '../../components/switch';
import { APPROVALS } from '../../store/approvals';
import { saveSettings, useSettings } from '../../store/settings';
import { Limits } from './limits';
import styles from './settings.module.css';

export function ApprovalSection() {
  const approval = useSettings((s) => s.settings?.approval);
  if (approval === undefined) return null;
  const { auto } = approval;
  return (
    <>
      <p className={styles.lead}>
        What the agent may do without asking. Auto-approve does not review; use View Changes.
      </p>
      {APPROVALS.map((a) => (
        <SwitchRow
          key={a.category}
          title={a.name}
          text={a.text}
          checked={auto[a.category] === true}
          onChange={(next) => void saveSettings({ approval: { auto: { ...auto, [a.category]: next } } })}
        />
      ))}
      <Prefixes
        title="Commands that never ask"
        empty="None. “Always allow” on a card adds one."
        prefixes={approval.allow}
        onChange={(allow) => void saveSettings({ approval: { allow: [...allow] } })}
      />
      <Prefixes
        title="Commands that are refused"
        empty="None."
        prefixes={approval.deny}
        onChange={(deny) => void saveSettings({ approval: { deny: [...deny] } })}
      />
      <Limits />
    </>
  );
}

type PrefixesProps = {
  readonly title: string;
  readonly empty: string;
  readonly prefixes: readonly string[];
  readonly onChange: (prefixes: readonly string[]) => void;
};

function Prefixes({ title, empty, prefixes, onChange }: PrefixesProps) {
  return (
    <section className={styles.row} aria-label={title}>
      <h3 className={styles.label}>{title}</h3>
      {prefixes.length === 0 ? (
        <p className={styles.help}>{empty}</p>
      ) : (
        <ul className={styles.list}>
          {prefixes.map((p) => (
            <li key={p}>
              <code>{p}</code>
              <IconButton
                label={`Remove ${p}`}
                onClick={() => onChange(prefixes.filter((other) => other !== p))}
              >
                <X size={13} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
