import { Popover } from 'radix-ui';
import type { CheckpointsState } from '../../../shared/domain';
import { Button } from '../../components/button';
import { cx } from '../../components/class-names';
import menu from '../../components/menu.module.css';
import { bytesOf } from '../../components/time';
import { countOf } from '../../store/restore-words';
import { openSettings } from '../../store/ui';
import { disableCheckpoints, enableCheckpoints, retryCheckpoints } from '../../store/workspace';
import styles from './checkpoint-chip.module.css';
import { chipWords, explanationOf } from './checkpoint-words';

/** The state of the checkpoints, always in sight; more about it on a click. */
export function CheckpointChip({ state }: { readonly state: CheckpointsState }) {
  const { tone, words } = chipWords(state);
  const offHere = state.state === 'off' && state.why === 'workspace';
  return (
    <>
      <Popover.Root>
        <Popover.Trigger className={styles.chip}>
          <span className={cx(styles.dot, styles[tone])} />
          {words}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            className={`${menu.menu} ${styles.panel}`}
            align="end"
            sideOffset={6}
            collisionPadding={8}
            aria-label="Checkpoints"
          >
            <p>{explanationOf(state)}</p>
            {state.state === 'ready' ? (
              <p className={styles.fine}>
                {countOf(state.checkpoints, 'checkpoint')} in {bytesOf(state.storeBytes)}, in a private store
                on this machine. Your own git repository is never touched.
              </p>
            ) : null}
            <Actions state={state} />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {offHere ? (
        <Button size="sm" onClick={() => void enableCheckpoints()}>
          Enable Checkpoints
        </Button>
      ) : null}
    </>
  );
}

function Actions({ state }: { readonly state: CheckpointsState }) {
  if (state.state === 'ready')
    return (
      <div className={styles.actions}>
        <Button size="sm" onClick={() => void disableCheckpoints()}>
          Disable Checkpoints
        </Button>
      </div>
    );
  if (state.state === 'failed')
    return (
      <div className={styles.actions}>
        <Button size="sm" onClick={() => void retryCheckpoints()}>
          Retry Checkpoints
        </Button>
      </div>
    );
  if (state.state === 'off' && state.why === 'setting')
    return (
      <div className={styles.actions}>
        <Button size="sm" onClick={() => openSettings('features')}>
          Open Settings
        </Button>
      </div>
    );
  return null;
}
