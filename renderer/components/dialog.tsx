import { Dialog as RadixDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { cx } from './class-names';
import styles from './dialog.module.css';
import { returnFocus } from './focus-return';

type DialogProps = {
  readonly open: boolean;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** as broad as the window allows, for texts side by side */
  readonly broad?: boolean;
  /** false: Esc and a click beside it do nothing (something is under way) */
  readonly closable?: boolean;
  readonly hideTitle?: boolean;
};

/** A question or a place of its own, above the window. The focus goes in, stays in, and comes back. */
export function Dialog({
  open,
  title,
  description,
  children,
  onClose,
  wide = false,
  broad = false,
  closable = true,
  hideTitle = false,
}: DialogProps) {
  const keep = (event: Event) => {
    if (!closable) event.preventDefault();
  };
  return (
    <RadixDialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={styles.scrim} />
        <RadixDialog.Content
          className={cx(styles.dialog, wide && styles.wide, broad && styles.broad)}
          onEscapeKeyDown={keep}
          onPointerDownOutside={keep}
          onCloseAutoFocus={returnFocus}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <RadixDialog.Title className={hideTitle ? 'visually-hidden' : styles.title}>
            {title}
          </RadixDialog.Title>
          {description === undefined ? null : (
            <RadixDialog.Description className={styles.description}>{description}</RadixDialog.Description>
          )}
          {children}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
