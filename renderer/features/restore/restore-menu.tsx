// `Restore` on a marker: what can be brought back to it. Opening it changes nothing, and no entry opens under the pointer.
import { DropdownMenu } from 'radix-ui';
import { useId } from 'react';
import type { CheckpointRow } from '../../../shared/fold';
import { isRedoPoint } from '../../../shared/lines';
import { Button } from '../../components/button';
import menu from '../../components/menu.module.css';
import { takeBack } from '../../store/redo';
import { beginRestore, type RestoreRequest } from '../../store/restore';
import { backWords } from '../../store/restore-words';
import { useTask } from '../../store/task';
import { type RestoreEntry, restoreEntries } from './restore-entries';
import styles from './restore-menu.module.css';

type RestoreMenuProps = {
  readonly row: CheckpointRow;
  readonly label: string;
  /** the files equal this checkpoint since the last restore */
  readonly restored: boolean;
};

export function RestoreMenu({ row, label, restored }: RestoreMenuProps) {
  const begin = (part: Pick<RestoreRequest, 'scope' | 'whole'>) => {
    const { taskId } = useTask.getState();
    if (taskId !== null)
      beginRestore({ taskId, checkpointId: row.checkpointId, label, undo: false, ...part });
  };
  if (isRedoPoint(row)) {
    return (
      <Button
        size="sm"
        title={`Take back the restore made here: brings back ${backWords(row.undoes)}`}
        onClick={() => takeBack(row)}
      >
        Undo
      </Button>
    );
  }
  const entries = restoreEntries(row, restored);
  const [first, ...more] = entries;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button size="sm">Restore</Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={`${menu.menu} ${styles.menu}`}
          align="end"
          sideOffset={8}
          collisionPadding={12}
        >
          {first === undefined ? null : (
            <Entry entry={first} onSelect={() => begin({ scope: first.scope, whole: first.whole })} />
          )}
          {more.length === 0 ? null : (
            <DropdownMenu.Group aria-label="More options">
              <DropdownMenu.Label className={menu.label}>More options</DropdownMenu.Label>
              {more.map((entry) => (
                <Entry
                  key={entry.name}
                  entry={entry}
                  onSelect={() => begin({ scope: entry.scope, whole: entry.whole })}
                />
              ))}
            </DropdownMenu.Group>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Entry({ entry, onSelect }: { readonly entry: RestoreEntry; readonly onSelect: () => void }) {
  const id = useId();
  return (
    <DropdownMenu.Item
      className={menu.item}
      disabled={entry.disabled}
      aria-labelledby={id}
      aria-describedby={`${id}-text`}
      textValue={entry.name}
      onSelect={onSelect}
    >
      <span id={id} className={menu.name}>
        {entry.name}
      </span>
      <span id={`${id}-text`} className={menu.text}>
        {entry.text}
      </span>
    </DropdownMenu.Item>
  );
}
