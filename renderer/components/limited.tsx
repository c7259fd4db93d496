import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button';
import { cx } from './class-names';
import styles from './limited.module.css';

/** Shows the beginning of what is very high, and the rest on request. */
export function Limited({ children }: { readonly children: ReactNode }) {
  const [all, setAll] = useState(false);
  const [cut, setCut] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const el = box.current;
    if (el === null || all) return;
    const observer = new ResizeObserver(() => setCut(el.scrollHeight > el.clientHeight + 1));
    observer.observe(el);
    for (const child of el.children) observer.observe(child);
    return () => observer.disconnect();
  }, [all]);
  return (
    <>
      {/* Focus and find-in-page can scroll what is cut off, and then there is no way back: all of it, then. */}
      <div
        ref={box}
        className={all ? undefined : cx(styles.limited, cut && styles.cut)}
        onScroll={() => setAll(true)}
      >
        {children}
      </div>
      {cut && !all ? (
        <Button look="quiet" size="sm" className={styles.more} onClick={() => setAll(true)}>
          Show all
        </Button>
      ) : null}
    </>
  );
}
