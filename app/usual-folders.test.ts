import { expect, test } from 'vitest';
import { shellFolders, usualPlaces } from './usual-folders';

test('Windows: what was moved to another drive or cloud, under translated names', () => {
  const printed = [
    '',
    'HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\User Shell Folders',
    '    {374DE290-123F-4565-9164-39C4925E467B}    REG_EXPAND_SZ    %USERPROFILE%\\Downloads',
    '    Desktop    REG_EXPAND_SZ    %USERPROFILE%\\OneDrive\\Bureau',
    '    My Music    REG_EXPAND_SZ    %USERPROFILE%\\Music',
    '    Personal    REG_SZ    D:\\Eigene Dateien',
    '',
  ].join('\r\n');
  expect(shellFolders(printed, { UserProfile: 'C:\\Users\\dana' })).toEqual({
    Desktop: ['C:\\Users\\dana\\OneDrive\\Bureau'],
    Documents: ['D:\\Eigene Dateien'],
    Downloads: ['C:\\Users\\dana\\Downloads'],
  });
});

test('Windows: without the list, or with a variable that is not set, nothing is made up', () => {
  expect(shellFolders('', {})).toEqual({});
  expect(shellFolders('    Desktop    REG_EXPAND_SZ    %GONE%\\Desktop', {})).toEqual({
    Desktop: ['%GONE%\\Desktop'],
  });
});

test('macOS: also where iCloud keeps them', () => {
  expect(usualPlaces('/Users/dana', {}, 'darwin').Documents).toEqual([
    '/Users/dana/Documents',
    '/Users/dana/Library/Mobile Documents/com~apple~CloudDocs/Documents',
  ]);
});
