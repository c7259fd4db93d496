import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from './button';
import styles from './code-block.module.css';

/** Says for a moment that it was copied. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    );
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={copy}>
      {copied ? <Check size={13} /> : <Copy size={13} />}
    </IconButton>
  );
}

export function CodeBlock({ code, language }: { readonly code: string; readonly language: string | null }) {
  return (
    <figure className={styles.block}>
      <figcaption className={styles.head}>
        <span>{language ?? 'text'}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide block scrolls sideways, with the keyboard too */}
      <pre className={styles.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
