// The line at the top: where you are, how the checkpoints stand, what was spent, and the settings.
import { ChevronRight, Settings as Gear, History } from 'lucide-react';
import type { ContextSize } from '../../../shared/domain';
import { contextFill } from '../../../shared/fold';
import { IconButton } from '../../components/button';
import { amountOf } from '../../components/time';
import { useTask } from '../../store/task';
import { openLines, openSettings } from '../../store/ui';
import { openFolder, useWorkspace } from '../../store/workspace';
import { CheckpointChip } from './checkpoint-chip';
import chip from './checkpoint-chip.module.css';
import styles from './header-bar.module.css';

export function HeaderBar() {
  const info = useWorkspace((s) => s.info);
  const taskId = useTask((s) => s.taskId);
  const title = useTask((s) => s.view.title);
  const restored = useTask((s) => s.view.restores.length > 0);
  return (
    <header className={styles.bar}>
      <button
        type="button"
        className={styles.folder}
        title={info?.path == null ? 'Open a folder' : info.roots.map((r) => r.path).join('\n')}
        onClick={() => void openFolder({ by: 'choose' })}
      >
        {info?.path == null ? 'No folder' : info.name}
      </button>
      <ChevronRight size={13} aria-hidden className={styles.arrow} />
      <h1 className={styles.title}>{taskId === null ? 'New task' : title}</h1>
      {info === null ? null : <CheckpointChip state={info.checkpoints} />}
      <SpentChip />
      {restored ? (
        <IconButton label="Redo points and earlier lines" onClick={openLines}>
          <History size={15} />
        </IconButton>
      ) : null}
      <IconButton label="Settings" onClick={() => openSettings()}>
        <Gear size={15} />
      </IconButton>
    </header>
  );
}

const SAYS_SO: Readonly<Record<ContextSize['from'], string>> = {
  setting: 'as set',
  server: 'says its server',
  table: 'as its maker says',
  error: 'more was refused',
  unknown: 'a guess: nobody says how much this model takes; Settings, Models can',
};

/** How full the context is for the next request; the money is what was spent, whatever was rewound. */
function SpentChip() {
  const view = useTask((s) => s.view);
  const { tokens, size } = contextFill(view);
  const { cost, inputTokens, outputTokens } = view.spent;
  if (inputTokens + outputTokens === 0) return null;
  const money = cost === null ? null : `$${cost.toFixed(2)}`;
  const takes = size === null ? '' : ` of ${size.tokens} that the model takes (${SAYS_SO[size.from]})`;
  const spent = `Spent in this task: ${inputTokens} in, ${outputTokens} out${money === null ? '' : `, ${money}`}`;
  return (
    <span className={chip.chip} title={`In the conversation now: ${tokens} tokens${takes}. ${spent}`}>
      {size === null ? null : <Fill part={tokens / size.tokens} />}
      {amountOf(tokens)}
      {size === null ? '' : ` of ${amountOf(size.tokens)}`} tokens{money === null ? '' : ` · ${money}`}
    </span>
  );
}

/** The words beside it say the same. */
function Fill({ part }: { readonly part: number }) {
  const percent = Math.min(100, Math.round(part * 100));
  return (
    <span aria-hidden className={styles.fill}>
      <span className={percent >= 80 ? styles.full : undefined} style={{ width: `${percent}%` }} />
    </span>
  );
}
