import { describe, expect, it } from 'vitest';
import { gitTooOld, installSteps } from './install-git';

describe('how to get git', () => {
  it.each([
    ['darwin', /brew install git.*xcode-select --install/],
    ['win32', /git-scm\.com.*Git from the command line and also from 3rd-party software/],
    ['linux', /apt install git.*dnf install git.*pacman -S git/],
    ['freebsd', /2\.30/],
  ])('on %s', (platform, steps) => {
    expect(installSteps(platform)).toMatch(steps);
    expect(installSteps(platform)).toContain('git --version');
  });

  it('a git that is too old is as good as none, and says so', () => {
    expect(gitTooOld('2.20.1')).toMatchObject({
      code: 'git-too-old',
      message: expect.stringMatching(/Git must be installed to use checkpoints\..*2\.20\.1.*2\.30/),
    });
  });
});
