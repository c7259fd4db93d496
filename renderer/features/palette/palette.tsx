// The command palette: every action by its name, and what an action still has to know (a checkpoint, a name).
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { activeRows, type CheckpointRow } from '../../../shared/fold';
import { returnFocus } from '../../components/focus-return';
import { timeOf } from '../../components/time';
import { ACTIONS } from '../../store/actions';
import { showComparison } from '../../store/changes';
import { checkpointWords } from '../../store/checkpoint-words';
import { beginRestore } from '../../store/restore';
import { useTask } from '../../store/task';
import { attempt, showToast } from '../../store/toast';
import { closePalette, openPalette, type PalettePage, useUi } from '../../store/ui';
import styles from './palette.module.css';
import { offeredCheckpoints, placeWords } from './palette-checkpoints';

const ASKS: Readonly<Record<PalettePage['page'], string>> = {
  actions: 'What do you want to do?',
  name: 'Name of the checkpoint',
  restore: 'Restore files & task to which checkpoint?',
  compare: 'Compare which checkpoint?',
  'compare-to': 'With which other checkpoint?',
};

export function Palette() {
  const open = useUi((s) => s.palette);
  return (
    <Dialog.Root open={open !== null} onOpenChange={(next) => (next ? undefined : closePalette())}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.scrim} />
        <Dialog.Content
          className={styles.palette}
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
        >
          <Dialog.Title className="visually-hidden">Commands</Dialog.Title>
          {open === null ? null : <Page key={open.page} open={open} />}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Page({ open }: { readonly open: PalettePage }) {
  const [text, setText] = useState('');
  const ask = ASKS[open.page];
  return (
    <Command label={ask} loop className={styles.command} shouldFilter={open.page !== 'name'}>
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder={ask}
        className={styles.input}
        maxLength={200}
      />
      <Command.List className={styles.list}>
        {open.page === 'name' ? null : (
          <Command.Empty className={styles.none}>Nothing is called so.</Command.Empty>
        )}
        {open.page === 'actions' ? <Actions /> : null}
        {open.page === 'name' ? <Save name={text.trim()} /> : null}
        {open.page === 'actions' || open.page === 'name' ? null : <Checkpoints open={open} />}
      </Command.List>
    </Command>
  );
}

const MODIFIER = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl+';

function Actions() {
  return ACTIONS.filter((a) => a.isThere()).map((a) => (
    <Command.Item
      key={a.id}
      value={a.name}
      keywords={[a.words ?? '']}
      className={styles.item}
      onSelect={() => {
        closePalette();
        a.run();
      }}
    >
      <span className={styles.name}>{a.name}</span>
      {a.key === undefined ? null : <kbd>{`${MODIFIER}${a.key}`}</kbd>}
    </Command.Item>
  ));
}

function Save({ name }: { readonly name: string }) {
  return (
    <Command.Item
      value="save"
      disabled={name === ''}
      className={styles.item}
      onSelect={() => {
        closePalette();
        void save(name);
      }}
    >
      <span className={styles.name}>{name === '' ? 'Type a name' : `Save as “${name}”`}</span>
    </Command.Item>
  );
}

async function save(name: string): Promise<void> {
  const { taskId } = useTask.getState();
  if (taskId === null) return;
  const saved = await attempt('checkpoint.save', { taskId, name });
  if (saved === null) return;
  const when = saved.checkpointId === null ? 'It is saved at the end of the current turn.' : null;
  showToast({ text: `Checkpoint “${name}”`, detail: when });
}

function Checkpoints({ open }: { readonly open: PalettePage }) {
  const view = useTask((s) => s.view);
  const from = open.page === 'compare-to' ? open.from : null;
  const rows = offeredCheckpoints(view).filter((r) => r.checkpointId !== from);
  return rows.map((row) => {
    const place = placeWords(row, view);
    return (
      <Command.Item
        key={row.checkpointId}
        value={row.checkpointId}
        keywords={[checkpointWords(row), timeOf(row.at), place]}
        className={styles.item}
        onSelect={() => choose(open, row)}
      >
        <span className={styles.name}>{checkpointWords(row)}</span>
        <span className={styles.about}>{place}</span>
        <span className={styles.time}>{timeOf(row.at)}</span>
      </Command.Item>
    );
  });
}

function choose(open: PalettePage, row: CheckpointRow): void {
  const { taskId, view } = useTask.getState();
  if (open.page === 'compare') {
    openPalette({ page: 'compare-to', from: row.checkpointId });
    return;
  }
  closePalette();
  if (taskId === null) return;
  if (open.page === 'restore') {
    const label = row.name ?? timeOf(row.at);
    beginRestore({
      taskId,
      checkpointId: row.checkpointId,
      scope: 'all',
      whole: false,
      label,
      undo: false,
      ...(row.undoes === null ? {} : { back: checkpointWords(row) }),
    });
  } else if (open.page === 'compare-to') {
    const other = activeRows(view).find((r) => r.type === 'checkpoint' && r.checkpointId === open.from);
    const [from, to] =
      (other?.seq ?? 0) < row.seq ? [open.from, row.checkpointId] : [row.checkpointId, open.from];
    showComparison({ kind: 'between', from, to });
  }
}
