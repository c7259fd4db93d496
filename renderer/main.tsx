import './zod-jitless';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './style/tokens.css';
import './style/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { CrashScreen } from './components/crash-screen';
import { trackFocus } from './components/focus-return';
import { connectStores } from './store/pushes';
import { loadSettings } from './store/settings';
import { loadWorkspace } from './store/workspace';

connectStores();
void loadSettings();
void loadWorkspace();

const root = document.getElementById('root');
if (root !== null) {
  trackFocus(root);
  createRoot(root).render(
    <StrictMode>
      <CrashScreen>
        <App />
      </CrashScreen>
    </StrictMode>,
  );
}
