import { expect, test } from 'vitest';
import { namedRoots, workspaceName } from './roots';

const names = (paths: string[]): string[] => namedRoots(paths).map((r) => r.name);

test('one folder needs no name', () => {
  expect(names(['/code/app'])).toEqual(['']);
});

test('several are called as their folders', () => {
  expect(names(['/code/app', '/code/lib'])).toEqual(['app', 'lib']);
});

test('folders of the same name are told apart by their parents, also where these are called the same', () => {
  expect(names(['/one/app', '/two/app', '/lib'])).toEqual(['app (one)', 'app (two)', 'lib']);
  expect(names(['/x/one/app', '/y/one/app'])).toEqual(['app (one)', 'app (one) 2']);
  expect(names(['/one/App', '/two/app'])).toEqual(['App (one)', 'app (two)']);
});

test('a folder that is really called so keeps its name', () => {
  expect(names(['/one/app', '/two/app', '/app (one)'])).toEqual(['app (one) 2', 'app (two)', 'app (one)']);
});

test('a folder has the same name in any order', () => {
  const forth = namedRoots(['/x/one/app', '/y/one/app', '/z/app']);
  const back = namedRoots(['/z/app', '/y/one/app', '/x/one/app']);
  expect(new Map(back.map((r) => [r.path, r.name]))).toEqual(new Map(forth.map((r) => [r.path, r.name])));
});

test('the name for people', () => {
  expect(workspaceName(['/code/app'])).toBe('app');
  expect(workspaceName(['/code/app', '/code/lib'])).toBe('app, lib');
  expect(workspaceName(['/a', '/b', '/c', '/d'])).toBe('a, b, c, d');
  expect(workspaceName(['/a', '/b', '/c', '/d', '/e'])).toBe('a, b, c and 2 more');
  expect(workspaceName(['/'])).toBe('root');
});
