import { Popover } from 'radix-ui';
import { useState } from 'react';
import type { LeftOut } from '../../../shared/domain';
import type { CheckpointRow } from '../../../shared/fold';
import { call } from '../../bridge';
import menu from '../../components/menu.module.css';
import { useTask } from '../../store/task';
import styles from './left-out.module.css';

const MOST = 200;

/** "2 left out": what this snapshot does not hold, and why. */
export function LeftOutNote({ row }: { readonly row: CheckpointRow }) {
  const [left, setLeft] = useState<readonly LeftOut[]>(row.skipped);
  if (row.skipped.length === 0) return null;
  const load = async (open: boolean) => {
    const { taskId } = useTask.getState();
    if (!open || taskId === null) return;
    const result = await call('checkpoint.left-out', { taskId, checkpointId: row.checkpointId });
    if (result.ok && result.value.left.length > 0) setLeft(result.value.left);
  };
  return (
    <Popover.Root onOpenChange={(open) => void load(open)}>
      <Popover.Trigger className={styles.trigger}>· {row.skipped.length} left out</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={`${menu.menu} ${styles.panel}`}
          align="start"
          sideOffset={6}
          aria-label="Left out of this checkpoint"
        >
          <p className={styles.head}>Not in this checkpoint, so a restore leaves it alone:</p>
          <ul className={styles.list}>
            {left.slice(0, MOST).map((l) => (
              <li key={`${l.path} ${l.pathBase64 ?? ''}`}>
                <code>{l.path}</code>
                <span>{l.why}</span>
              </li>
            ))}
            {left.length > MOST ? <li>and {left.length - MOST} more</li> : null}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
