import type { ReactNode } from 'react';
import type { ErrorInfo } from '../bridge';
import { cx } from './class-names';
import styles from './notice.module.css';

type NoticeProps = {
  readonly tone?: 'warn' | 'error' | 'plain';
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  readonly flat?: boolean;
};

/** A sentence that must be read, with what can be done about it. */
export function Notice({ tone = 'warn', children, actions, flat = false }: NoticeProps) {
  return (
    <div
      role={tone === 'plain' ? 'status' : 'alert'}
      className={cx(styles.notice, styles[tone], flat && styles.flat)}
    >
      <div className={styles.words}>{children}</div>
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** An error's message, what to do about it, and the files that it names. */
export function ErrorText({ error }: { readonly error: ErrorInfo }) {
  const paths = error.paths ?? [];
  return (
    <>
      <p>{error.message}</p>
      {error.hint === undefined ? null : <p className={styles.hint}>{error.hint}</p>}
      {paths.length === 0 ? null : (
        <ul className={styles.paths}>
          {paths.slice(0, 8).map((p) => (
            <li key={p}>
              <code>{p}</code>
            </li>
          ))}
          {paths.length > 8 ? <li>and {paths.length - 8} more</li> : null}
        </ul>
      )}
    </>
  );
}
