// app/dev is JavaScript that its own tsconfig checks; this is what the stories use of it.
declare module '*/noise.mjs' {
  export function isNoise(line: string): boolean;
}
