import { useEffect } from 'react';
import { useResolvedTheme } from '../components/theme';
import type { Monaco } from './load';
import { themeName } from './theme';

/** Monaco has one theme for all its editors; it follows the window's. */
export function useMonacoTheme(monaco: Monaco | null): void {
  const theme = useResolvedTheme();
  useEffect(() => {
    monaco?.editor.setTheme(themeName(theme));
  }, [monaco, theme]);
}
