// Commands of a run whose Tidemark has died: they go on, and would write into what a restore has put back.
// Owns: finding them by their control group or by the run's id in their environment, and ending them. Linux only: elsewhere another process's
// environment cannot be read, and nothing is ended on a guess.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunId } from '../../shared/ids';
import { endGroups } from './command-group';

/** Environment variable that every command of a run carries. */
export const RUN_MARK = 'AGENT_RUN_ID';

/** New ones may be born between looking and ending; after so many rounds it is given up. */
const ROUNDS = 20;
const PAUSE_MS = 25;

/** @returns how many were found by their environment and ended */
export async function endOrphans(runId: RunId): Promise<number> {
  if (process.platform !== 'linux') return 0;
  await endGroups(runId);
  const ended = new Set<number>();
  for (let round = 0; round < ROUNDS; round++) {
    const found = await findMarked(`\0${RUN_MARK}=${runId}\0`);
    if (found.length === 0) break;
    for (const pid of found) {
      ended.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ESRCH' && code !== 'EPERM') throw error;
      }
    }
    await delay(PAUSE_MS);
  }
  return ended.size;
}

async function findMarked(wanted: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // A zombie's environment is empty, so it does not count as running.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (`\0${environment}`.includes(wanted)) found.push(Number(name));
  }
  return found;
}
