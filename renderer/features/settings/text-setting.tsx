import { useEffect, useId, useState } from 'react';
import styles from './settings.module.css';

type TextSettingProps = {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  readonly onSave: (value: string) => void;
};

/** A setting that is typed. It is saved when the field is left, or with Enter. */
export function TextSetting({ label, help, value, placeholder, suggestions = [], onSave }: TextSettingProps) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const save = () => {
    if (text.trim() !== value) onSave(text.trim());
  };
  return (
    <div className={styles.row}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {help === undefined ? null : <p className={styles.help}>{help}</p>}
      <div className={styles.line}>
        <input
          id={id}
          className={styles.input}
          value={text}
          placeholder={placeholder}
          list={suggestions.length === 0 ? undefined : `${id}-list`}
          spellCheck={false}
          onChange={(e) => setText(e.target.value)}
          onBlur={save}
          onKeyDown={(e) => {
            if (e.key === 'Enter') save();
          }}
        />
        {suggestions.length === 0 ? null : (
          <datalist id={`${id}-list`}>
            {suggestions.map((s) => (
              <option key={s} value={s} />
            ))}
          </datalist>
        )}
      </div>
    </div>
  );
}
