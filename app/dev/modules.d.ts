// For app/tsconfig.json, which reads no JavaScript. The tests here are checked against the real modules by
// app/dev/tsconfig.json, which leaves this file out.
declare module '*.mjs';
