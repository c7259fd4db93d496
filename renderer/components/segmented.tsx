import { ToggleGroup } from 'radix-ui';
import styles from './segmented.module.css';

type SegmentedProps<T extends string> = {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string; readonly hint?: string }[];
  readonly onChange: (value: T) => void;
};

/** One of a few choices, all visible. Arrow keys move within it. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      aria-label={label}
      className={styles.group}
      onValueChange={(next) => {
        const chosen = options.find((o) => o.value === next);
        if (chosen !== undefined) onChange(chosen.value);
      }}
    >
      {options.map((o) => (
        <ToggleGroup.Item key={o.value} value={o.value} title={o.hint} className={styles.item}>
          {o.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
