// How to get git on this operating system, for the errors that say that it is missing. Pure.
import { TidemarkError } from '../../shared/errors';

const STEPS: Readonly<Record<string, string>> = {
  darwin: 'Install it with Homebrew (brew install git) or with the Xcode tools (xcode-select --install)',
  win32:
    'Install Git for Windows from https://git-scm.com/download/win and choose “Git from the command line and also from 3rd-party software”',
  linux: 'Install it with your package manager: apt install git, dnf install git or pacman -S git',
};

/** The steps, how to check them, and what to do then. */
export const installSteps = (platform: string): string =>
  `${STEPS[platform] ?? 'Install git 2.30 or newer'}. Check with: git --version. Then choose Retry.`;

/** @param cause what starting git threw */
export const gitMissing = (cause?: unknown): TidemarkError =>
  new TidemarkError('git-missing', 'Git must be installed to use checkpoints.', {
    cause,
    hint: installSteps(process.platform),
  });

/** @param version as git reports it */
export const gitTooOld = (version: string): TidemarkError =>
  new TidemarkError(
    'git-too-old',
    `Git must be installed to use checkpoints. Git ${version} is too old: 2.30 or newer is needed.`,
    { hint: installSteps(process.platform) },
  );
