// Light or dark: the setting, or what the system says. Owns data-theme on <html>.
import { useEffect, useSyncExternalStore } from 'react';
import { useSettings } from '../store/settings';

const dark = () => window.matchMedia('(prefers-color-scheme: dark)');
const subscribe = (changed: () => void) => {
  const query = dark();
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
};

export function useResolvedTheme(): 'light' | 'dark' {
  const chosen = useSettings((s) => s.settings?.appearance.theme ?? 'system');
  const system = useSyncExternalStore(subscribe, () => dark().matches);
  if (chosen !== 'system') return chosen;
  return system ? 'dark' : 'light';
}

export function useThemeOnPage(): void {
  const theme = useResolvedTheme();
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
}
