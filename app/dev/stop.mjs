// How the development tools give up: a message for people and the exit code of SPEC 12 (3: the machine lacks something).

export class Stop extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode
   */
  constructor(message, exitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`tidemark: ${line}\n`);
}
