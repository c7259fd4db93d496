// Accessibility by axe. Electron has no second page to open, hence the legacy mode.
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { showTheme } from './picture';

/** No violation of WCAG 2.2 A and AA in either theme. Monaco's own inner parts are its makers' work. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await showTheme(page, theme);
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode(true)
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .exclude('.monaco-editor')
      .analyze();
    const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`);
    expect(found, `${screen}, ${theme}`).toEqual([]);
  }
}
