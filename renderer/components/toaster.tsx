import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { dismissToast, type Toast, useToasts } from '../store/toast';
import { Button, IconButton } from './button';
import { cx } from './class-names';
import styles from './toaster.module.css';

export function Toaster() {
  const toasts = useToasts((s) => s.toasts);
  return (
    <section aria-label="Notifications" className={styles.toaster}>
      {toasts.map((t) => (
        <ToastView key={t.id} toast={t} />
      ))}
    </section>
  );
}

/** Goes by itself, but not while it is being read or used. */
function ToastView({ toast }: { readonly toast: Toast }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismissToast(toast.id), toast.ms);
    return () => clearTimeout(timer);
  }, [held, toast.id, toast.ms]);
  const { action } = toast;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: being looked at only keeps it from going
    <div
      role={toast.tone === 'error' ? 'alert' : 'status'}
      className={cx(styles.toast, styles[toast.tone])}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className={styles.words}>
        <p>{toast.text}</p>
        {toast.detail === null ? null : <p className={styles.detail}>{toast.detail}</p>}
      </div>
      {action === null ? null : (
        <Button
          look="quiet"
          size="sm"
          className={styles.action}
          onClick={() => {
            dismissToast(toast.id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" onClick={() => dismissToast(toast.id)}>
        <X size={13} />
      </IconButton>
    </div>
  );
}
