// Monaco's colours: the tokens of style/tokens.css, read from the page so that there is one source.
import type { editor } from 'monaco-editor/editor';

type Editors = { readonly defineTheme: (name: string, theme: editor.IStandaloneThemeData) => void };

/** Syntax colours of the two themes; the rest comes from the tokens. */
const SYNTAX = {
  dark: {
    comment: '7f9098',
    keyword: '7fb3d5',
    string: '93b984',
    number: 'd3a26f',
    type: '74c2bd',
    tag: 'c795b8',
  },
  light: {
    comment: '55656e',
    keyword: '164f82',
    string: '33601a',
    number: '824307',
    type: '0c6a72',
    tag: '8a3a75',
  },
};

export type Theme = 'light' | 'dark';
export const themeName = (theme: Theme): string => `tidemark-${theme}`;

export function defineThemes(editors: Editors): void {
  for (const theme of ['dark', 'light'] as const) {
    const token = tokensOf(theme);
    const syntax = SYNTAX[theme];
    editors.defineTheme(themeName(theme), {
      base: theme === 'dark' ? 'vs-dark' : 'vs',
      inherit: true,
      rules: [
        { token: '', foreground: token('--text').slice(1) },
        { token: 'comment', foreground: syntax.comment },
        { token: 'keyword', foreground: syntax.keyword },
        { token: 'string', foreground: syntax.string },
        { token: 'number', foreground: syntax.number },
        { token: 'type', foreground: syntax.type },
        { token: 'tag', foreground: syntax.tag },
        { token: 'delimiter', foreground: token('--text-2').slice(1) },
      ],
      colors: {
        'editor.background': token('--surface'),
        'editor.foreground': token('--text'),
        'editorGutter.background': token('--surface'),
        'editorLineNumber.foreground': token('--text-3'),
        'editorLineNumber.activeForeground': token('--text-2'),
        'editorLineNumber.dimmedForeground': token('--text-3'),
        'editor.lineHighlightBorder': '#00000000',
        'editor.selectionBackground': `${token('--accent')}44`,
        'editorWidget.background': token('--overlay'),
        'editorWidget.border': token('--line-strong'),
        'diffEditor.insertedLineBackground': token('--add-bg'),
        'diffEditor.removedLineBackground': token('--del-bg'),
        'diffEditor.insertedTextBackground': `${token('--add')}30`,
        'diffEditor.removedTextBackground': `${token('--del')}30`,
        'diffEditor.diagonalFill': token('--line'),
        'diffEditor.border': token('--line'),
        'diffEditor.unchangedRegionBackground': token('--raised'),
        'diffEditor.unchangedRegionForeground': token('--text-2'),
        'diffEditor.unchangedRegionShadow': '#00000000',
        'scrollbarSlider.background': `${token('--thumb')}cc`,
        'scrollbarSlider.hoverBackground': token('--thumb-hover'),
        'scrollbar.shadow': '#00000000',
        ...Object.fromEntries(
          [1, 2, 3, 4, 5, 6].map((n) => [`editorBracketHighlight.foreground${n}`, token('--text-2')]),
        ),
        focusBorder: token('--accent'),
      },
    });
  }
}

function tokensOf(theme: Theme): (name: string) => string {
  const probe = document.createElement('div');
  probe.dataset.theme = theme;
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const values = new Map<string, string>();
  for (const name of NAMES) values.set(name, style.getPropertyValue(name).trim());
  probe.remove();
  return (name) => sixDigits(values.get(name) ?? '');
}

const NAMES = [
  '--text',
  '--text-2',
  '--text-3',
  '--surface',
  '--raised',
  '--overlay',
  '--line',
  '--line-strong',
  '--accent',
  '--add',
  '--add-bg',
  '--del',
  '--del-bg',
  '--thumb',
  '--thumb-hover',
];

/** Monaco takes "#rrggbb" only; a build may have shortened "#ffffff" to "#fff". */
function sixDigits(colour: string): string {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour);
  if (short !== null)
    return `#${short
      .slice(1)
      .map((d) => d + d)
      .join('')}`;
  return /^#[0-9a-f]{6}$/i.test(colour) ? colour : '#808080';
}
