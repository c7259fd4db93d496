import { expect, test } from 'vitest';
import { choosePackages, missingLibraries, missingPackages, needsVirtualDisplay } from './debian.mjs';

test('missingPackages counts what is installed, by either name, and not what was removed', () => {
  const output = ['ii  libnss3', 'rc  xvfb', 'ii  libasound2t64', 'un  git', ''].join('\n');
  const wanted = ['xvfb', 'libnss3', 'libasound2|libasound2t64', 'libgtk-3-0|libgtk-3-0t64', 'git'];
  expect(missingPackages(wanted, output)).toEqual(['xvfb', 'libgtk-3-0|libgtk-3-0t64', 'git']);
});

test('choosePackages takes the name that the release offers', () => {
  const policy = [
    ...['libasound2:', '  Installed: (none)', '  Candidate: (none)', '  Version table:'],
    ...[
      'libasound2t64:',
      '  Installed: (none)',
      '  Candidate: 1.2.14-1',
      '  Version table:',
      '     1.2.14-1 500',
    ],
    ...['xvfb:', '  Installed: (none)', '  Candidate: 2:21.1.7-3', ''],
  ].join('\n');
  expect(choosePackages(['xvfb', 'libasound2|libasound2t64', 'gone|goner'], policy)).toEqual([
    'xvfb',
    'libasound2t64',
    'gone',
  ]);
});

test('missingLibraries reads what the loader says', () => {
  const output = [
    '\tlinux-vdso.so.1 (0x0000)',
    '\tlibffmpeg.so => /opt/libffmpeg.so (0x0000)',
    '\tlibgtk-3.so.0 => not found',
    '\tlibnss3.so => not found',
  ].join('\n');
  expect(missingLibraries(output)).toEqual(['libgtk-3.so.0', 'libnss3.so']);
});

test.runIf(process.platform === 'linux')('a display of either kind will do', () => {
  expect(needsVirtualDisplay({})).toBe(true);
  expect(needsVirtualDisplay({ DISPLAY: '' })).toBe(true);
  expect(needsVirtualDisplay({ DISPLAY: ':0' })).toBe(false);
  expect(needsVirtualDisplay({ WAYLAND_DISPLAY: 'wayland-0' })).toBe(false);
});
