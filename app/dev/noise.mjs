// Chromium complains on stderr about services that a container or a virtual display does not have. None of it matters
// to the app; left in, it would hide what does.
import { Transform } from 'node:stream';

const CHROMIUM = /^\[\d+:\d{4}\/\d{6}\.\d+:(?:ERROR|WARNING|INFO):([^\]]*)\]/;
const HARMLESS_SOURCE =
  /(?:^|[/_])(?:bus|object_proxy|gpu|viz|gl|gles2|angle|command_buffer|vaapi|vulkan)[_./]/i;
const HARMLESS_LINE = [
  /^libEGL warning/,
  /^MESA-LOADER/,
  /^libva error/,
  /Gtk-(?:WARNING|Message).*(?:module|theme|dconf)/,
];

/** @param {string} line */
export function isNoise(line) {
  const source = CHROMIUM.exec(line)?.[1];
  if (source !== undefined) return HARMLESS_SOURCE.test(source);
  return HARMLESS_LINE.some((pattern) => pattern.test(line));
}

/** Passes lines on as they come, without the noise. */
export function quiet() {
  let rest = '';
  return new Transform({
    transform(chunk, _encoding, done) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      done(
        null,
        lines
          .filter((line) => !isNoise(line))
          .map((line) => `${line}\n`)
          .join(''),
      );
    },
    flush(done) {
      done(null, rest && !isNoise(rest) ? rest : '');
    },
  });
}
