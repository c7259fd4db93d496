// Serves the built window from app:// with a strict content policy.
// Owns: which files a window may load (those of dist/renderer, nothing else) and the headers.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { protocol } from 'electron';

export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://tidemark';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Monaco and the virtual list set styles at run time
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "frame-src 'none'",
  "object-src 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.json': 'application/json',
};

/** Call before the app is ready. */
export function registerScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** @param root the folder of the built window */
export function serveApp(root: string): void {
  protocol.handle(APP_SCHEME, async (request) => {
    const file = fileOf(root, request.url);
    if (file === null) return new Response('Not found', { status: 404 });
    try {
      const body = await readFile(file);
      return new Response(new Uint8Array(body), {
        headers: {
          'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
          'content-security-policy': CSP,
          'x-content-type-options': 'nosniff',
        },
      });
    } catch {
      return new Response('Not found', { status: 404 }); // a missing file is an answer, not a fault
    }
  });
}

/** The file that a URL means; null for another host or a path out of the folder. */
export function fileOf(root: string, url: string): string | null {
  const { host, pathname } = new URL(url);
  if (host !== 'tidemark') return null;
  const wanted = path.normalize(
    path.join(root, decodeURIComponent(pathname === '/' ? '/index.html' : pathname)),
  );
  return wanted.startsWith(root + path.sep) ? wanted : null;
}
