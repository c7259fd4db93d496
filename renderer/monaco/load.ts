import { useEffect, useState } from 'react';

type Loaded = typeof import('./setup');
export type Monaco = Loaded['monaco'];

let loading: Promise<Loaded> | null = null;

/** The editor, once it is there. */
export function loadMonaco(): Promise<Monaco> {
  loading ??= import('./setup');
  return loading.then((m) => m.monaco);
}

export function useMonaco(): Monaco | null {
  const [monaco, setMonaco] = useState<Monaco | null>(null);
  useEffect(() => {
    let gone = false;
    void loadMonaco().then((m) => {
      if (!gone) setMonaco(m);
    });
    return () => {
      gone = true;
    };
  }, []);
  return monaco;
}
