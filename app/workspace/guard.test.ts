import { expect, test } from 'vitest';
import { guardOf } from './guard';

test.each([
  ['.git/hooks/pre-commit', 'git'],
  ['.Git/config', 'git'],
  ['.GIT', 'git'],
  ['.git./config', 'git'],
  ['.git /config', 'git'],
  ['.git::$INDEX_ALLOCATION/config', 'git'],
  ['GIT~1/config', 'git'],
  ['.g\u200cit/config', 'git'],
  ['.gi\uff54/config', 'git'],
  ['sub\\.git\\config', 'git'],
  ['lib/.git', 'git'],
  ['.tidemark/mcp.json', 'tidemark'],
  ['.Tidemark/MCP.json', 'tidemark'],
  ['.agentignore', 'agentignore'],
  ['.env', 'secret'],
  ['a/.env.local', 'secret'],
  ['prod.env', 'secret'],
  ['.ENV', 'secret'],
  ['home/id_rsa', 'secret'],
  ['id_ed25519', 'secret'],
  ['server.pem', 'secret'],
  ['server.key', 'secret'],
  ['.env.example', null],
  ['.env.sample', null],
  ['.env.template', null],
  ['.gitignore', null],
  ['.github/workflows/ci.yml', null],
  ['git/config', null],
  ['src/environment.ts', null],
  ['id_rsa.pub', null],
  ['keys.ts', null],
])('fault 92: %s is %s', (path, guard) => {
  expect(guardOf(path)).toBe(guard);
});
