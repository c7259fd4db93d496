import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { cx } from './class-names';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';
type ButtonProps = ComponentProps<'button'> & { readonly look?: Look; readonly size?: 'md' | 'sm' };

export function Button({ look = 'plain', size = 'md', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} className={cx(styles.button, styles[look], styles[size], className)} {...rest} />
  );
}

type IconButtonProps = ComponentProps<'button'> & { readonly label: string };

/** A button that shows only an icon; its name is read out and shown as a hint. */
export function IconButton({ label, className, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button type={type} aria-label={label} title={label} className={cx(styles.icon, className)} {...rest} />
  );
}
