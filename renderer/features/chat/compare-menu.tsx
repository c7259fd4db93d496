// Beside `Compare` on a mark: the other comparisons that begin there.
import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { CheckpointRow } from '../../../shared/fold';
import type { CheckpointId } from '../../../shared/ids';
import { IconButton } from '../../components/button';
import menu from '../../components/menu.module.css';
import { showComparison } from '../../store/changes';
import { openPalette } from '../../store/ui';
import styles from './marker.module.css';

type CompareMenuProps = {
  readonly row: CheckpointRow;
  /** whose turn is meant: of merged marks the one that has the changes; null: nothing changed up to it */
  readonly turn: CheckpointId | null;
};

export function CompareMenu({ row, turn }: CompareMenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <IconButton label="More comparisons" className={styles.more}>
          <ChevronDown size={13} />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={menu.menu} align="end" sideOffset={8} collisionPadding={12}>
          <DropdownMenu.Item
            className={menu.item}
            onSelect={() => showComparison({ kind: 'since', from: row.checkpointId })}
          >
            With the files now
          </DropdownMenu.Item>
          <DropdownMenu.Item
            className={menu.item}
            disabled={turn === null}
            onSelect={() => {
              if (turn !== null) showComparison({ kind: 'turn', at: turn });
            }}
          >
            Just this turn
          </DropdownMenu.Item>
          <DropdownMenu.Item
            className={menu.item}
            onSelect={() => openPalette({ page: 'compare-to', from: row.checkpointId })}
          >
            With another checkpoint…
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
