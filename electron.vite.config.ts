import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

// Three bundles. Main, CLI and the engine's worker are CommonJS for Node 18 (the oldest Electron that we run on);
// the preload is one file without any require beyond electron, because a sandboxed preload has none.
export default defineConfig({
  main: {
    build: {
      outDir: 'dist/app',
      target: 'node18.15',
      externalizeDeps: false,
      rolldownOptions: {
        input: {
          main: 'app/main.ts',
          cli: 'app/cli.ts',
          'engine-worker': 'app/checkpoint/engine-worker.ts',
          // for the bench
          engine: 'app/checkpoint/open-engine.ts',
        },
        external: [/^@vscode\/ripgrep/],
        output: {
          format: 'cjs',
          dynamicImportInCjs: false,
          entryFileNames: '[name].cjs',
          chunkFileNames: 'chunks/[name]-[hash].cjs',
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'dist/app',
      emptyOutDir: false,
      target: 'node18.15',
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: 'app/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    build: {
      outDir: 'dist/renderer',
      target: 'chrome114',
      minify: true,
      rolldownOptions: { input: path.resolve('renderer/index.html') },
    },
  },
});
