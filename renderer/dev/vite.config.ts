// Serves the window with its fake main process: npx vite --config renderer/dev/vite.config.ts
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  plugins: [react()],
  server: { port: 5199, strictPort: true, fs: { allow: [new URL('../..', import.meta.url).pathname] } },
});
