// The line at the top: where you are, how the checkpoints stand, what was spent, and the settings.
import { ChevronRight, Settings as Gear } from 'lucide-react';
import { contextTokens } from '../../../shared/fold';
import { IconButton } from '../../components/button';
import { amountOf } from '../../components/time';
import { useTask } from '../../store/task';
import { openSettings } from '../../store/ui';
import { openFolder, useWorkspace } from '../../store/workspace';
import { CheckpointChip } from './checkpoint-chip';
import chip from './checkpoint-chip.module.css';
import styles from './header-bar.module.css';

export function HeaderBar() {
  const info = useWorkspace((s) => s.info);
  const taskId = useTask((s) => s.taskId);
  const title = useTask((s) => s.view.title);
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
      <IconButton label="Settings" onClick={() => openSettings()}>
        <Gear size={15} />
      </IconButton>
    </header>
  );
}

/** Tokens of the context that the next request carries; the money is what was spent, whatever was rewound. */
function SpentChip() {
  const view = useTask((s) => s.view);
  const tokens = contextTokens(view);
  const { cost, inputTokens, outputTokens } = view.spent;
  if (inputTokens + outputTokens === 0) return null;
  const money = cost === null ? null : `$${cost.toFixed(2)}`;
  return (
    <span
      className={chip.chip}
      title={`In the conversation now: ${tokens} tokens. Spent in this task: ${inputTokens} in, ${outputTokens} out${money === null ? '' : `, ${money}`}`}
    >
      {amountOf(tokens)} tokens{money === null ? '' : ` · ${money}`}
    </span>
  );
}
