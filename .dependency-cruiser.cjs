// Who may import whom. A type counts as much as a value: what a folder knows is what it can be broken by.
// Checked by app/dev/check-imports.mjs, not by dependency-cruiser's own command, which cannot read these sources.

const TEST = '\\.test\\.tsx?$';
/** Folders that know only themselves, so that each can be understood, tested and replaced alone. */
const ISLANDS = 'checkpoint|log|provider|workspace|settings|approval|mcp|skill';

/** A library by its name, whether it was found in node_modules or not. @param {string} names */
const library = (names) => `(^|node_modules/)(${names})($|/)`;

/**
 * `from` may import nothing of app/ but `allowed`; its tests also the test kit.
 * @param {string} name
 * @param {string} comment
 * @param {string} from
 * @param {string} allowed
 */
function within(name, comment, from, allowed) {
  const may = (extra) => `^app/(${allowed}${extra})`;
  return [
    { name, comment, from: { path: from, pathNot: TEST }, to: { path: '^app/', pathNot: may('') } },
    { name, comment, from: { path: `${from}.*${TEST}` }, to: { path: '^app/', pathNot: may('|testing/') } },
  ];
}

const forbidden = [
  {
    name: 'shared-is-pure',
    comment:
      'Both sides run it, so it can have neither Node nor DOM nor a library that does; zod is the one exception.',
    from: { path: '^shared/', pathNot: TEST },
    to: { pathNot: `^shared/|${library('zod')}` },
  },
  {
    name: 'shared-is-pure',
    comment: 'Its tests may use test tools, but no code of a side.',
    from: { path: `^shared/.*${TEST}` },
    to: { path: '^(app|renderer|e2e)/' },
  },
  ...within(
    'island',
    'It knows no other folder of app/: what it needs from there comes as an argument.',
    `^app/(${ISLANDS})/`,
    '$1/',
  ),
  ...within(
    'tool',
    'Tools reach the workspace and nothing else; checkpoints happen around them, not in them.',
    '^app/tool/',
    'tool/|workspace/',
  ),
  ...within(
    'agent',
    'The loop gets checkpoints, protection, instructions and browser as RunPorts, so it runs without them.',
    '^app/agent/',
    'agent/|provider/|tool/|approval/',
  ),
  ...within(
    'task',
    'Joins the parts for app and CLI alike, hence without anything of the window.',
    '^app/task/',
    `task/|agent/|tool/|${ISLANDS.replaceAll('|', '/|')}/`,
  ),
  ...within(
    'composition',
    'Builds the product without Electron, so that the CLI runs on plain Node.',
    '^app/(cli/|(?!main\\.|preload\\.|.*/))',
    `cli/|(?!main\\.|preload\\.)[^/]+$|task/|agent/|tool/|${ISLANDS.replaceAll('|', '/|')}/`,
  ),
  {
    name: 'composition-reaches-no-window',
    comment:
      'Also not in a roundabout way: one import of electron anywhere below, and the CLI needs Electron.',
    from: { path: '^app/(runtime|cli)(\\.ts$|/)' },
    to: { path: `^app/(ipc|window|main|preload)(/|\\.)|${library('electron')}`, reachable: true },
  },
  ...within(
    'window-side',
    'Everything that needs Electron sees the product through the runtime alone.',
    '^app/(main\\.|ipc/|window/)',
    '(?!cli\\.|preload\\.)[^/]+$|ipc/|window/',
  ),
  {
    name: 'electron-only-at-the-window',
    comment: 'The rest runs, and is tested, on plain Node.',
    from: { pathNot: '^app/(main\\.|preload\\.|ipc/|window/)' },
    to: { path: library('electron') },
  },
  {
    name: 'preload-is-a-slit',
    comment: 'A sandboxed preload is one small file: the names of the channels and Electron, no more.',
    from: { path: '^app/preload\\.ts$' },
    to: { pathNot: `^shared/channels(\\.ts$|/)|${library('electron')}` },
  },
  {
    name: 'app-knows-no-page',
    comment: 'The main process and the CLI have no page, and nothing depends on the stories.',
    from: { path: '^app/' },
    to: { path: '^(renderer|e2e)/' },
  },
  {
    name: 'renderer-is-a-page',
    comment: 'It reaches the product through the bridge; a sandboxed page has no Node and no Electron.',
    from: { path: '^renderer/' },
    to: { path: `^(app|e2e)/|${library('electron')}` },
  },
  {
    name: 'renderer-is-a-page',
    comment: 'Node does not exist there; its tests run in Node and may use it.',
    from: { path: '^renderer/', pathNot: TEST },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'feature-is-an-island',
    comment: 'Features meet in app.tsx; what two of them need is a component or belongs in the store.',
    from: { path: '^renderer/features/([^/]+)/', pathNot: TEST },
    to: {
      path: '^renderer/',
      pathNot: '^renderer/(features/$1/|(store|bridge|components|monaco|style)(/|\\.))',
    },
  },
  {
    name: 'feature-is-an-island',
    comment: 'Its tests may also use the scenes that were made for looking at the window without Electron.',
    from: { path: `^renderer/features/([^/]+)/.*${TEST}` },
    to: {
      path: '^renderer/',
      pathNot: '^renderer/(features/$1/|(store|bridge|components|monaco|style|dev)(/|\\.))',
    },
  },
  {
    name: 'scenes-are-not-shipped',
    comment: 'A made-up bridge in the product would show made-up checkpoints.',
    from: { path: '^renderer/(?!dev/)', pathNot: TEST },
    to: { path: '^renderer/dev/' },
  },
  {
    name: 'product-without-tools',
    comment: 'Launcher, measurements and the test kit are not shipped.',
    from: { path: '^(app|renderer|shared)/', pathNot: `^app/(dev|bench|testing)/|${TEST}` },
    to: { path: '^app/(dev|bench|testing)/' },
  },
  {
    name: 'dev-stands-alone',
    comment: 'It runs before anything is built and works on what is built, not on the sources.',
    from: { path: '^app/(dev|bench)/' },
    to: { path: '^(app|renderer|shared|e2e)/', pathNot: '^app/(dev|bench)/' },
  },
  {
    name: 'e2e-from-outside',
    comment: 'A story sees the app as its user does.',
    from: { path: '^e2e/' },
    to: { path: '^(app|renderer)/', pathNot: '^app/(dev|testing)/' },
  },
];

module.exports = {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: { doNotFollow: { path: 'node_modules' } },
};
