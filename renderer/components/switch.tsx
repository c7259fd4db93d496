import { Switch as RadixSwitch } from 'radix-ui';
import type { ReactNode } from 'react';
import { useId } from 'react';
import styles from './switch.module.css';

type SwitchRowProps = {
  readonly title: string;
  readonly text?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
};

/** A setting with its explanation and a switch. */
export function SwitchRow({ title, text, checked, onChange, disabled = false }: SwitchRowProps) {
  const id = useId();
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <label htmlFor={id} className={styles.title}>
          {title}
        </label>
        {text === undefined ? null : (
          <p id={`${id}-text`} className={styles.text}>
            {text}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={text === undefined ? undefined : `${id}-text`}
        onCheckedChange={onChange}
        className={styles.track}
      >
        <RadixSwitch.Thumb className={styles.thumb} />
      </RadixSwitch.Root>
    </div>
  );
}
