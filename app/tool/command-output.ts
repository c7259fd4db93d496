// Collects what a command prints: all of it in a file when it is long, its beginning and end for the model.
// Owns: the cut. Does not own: the command.
import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';

/** The model gets so many characters from the beginning, and as many from the end. */
const KEEP = 15_000;
/** Nobody reads more, and a runaway command must not fill the disk. */
const MOST_KEPT_IN_FILE = 50_000_000;

export type CollectedOutput = { readonly text: string; readonly cut: boolean };

export class OutputCollector {
  private readonly decoder = new StringDecoder('utf8');
  private head = '';
  private tail = '';
  private total = 0;
  private file: { readonly stream: WriteStream; readonly path: string; failed: Error | null } | null = null;

  constructor(private readonly folder: string) {}

  /** The folder has to be there before the first long output: made here, so that adding never waits. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Adds a piece and returns its text. */
  add(chunk: Buffer): string {
    const text = this.decoder.write(chunk);
    this.total += text.length;
    const room = KEEP - this.head.length;
    const rest = room > 0 ? text.slice(room) : text;
    if (room > 0) this.head += text.slice(0, room);
    if (rest === '') return text;
    if (this.file === null && this.tail.length + rest.length > KEEP) this.startFile();
    this.tail += rest;
    if (this.file !== null) {
      if (this.total <= MOST_KEPT_IN_FILE) this.file.stream.write(rest);
      this.tail = this.tail.slice(-KEEP);
    }
    return text;
  }

  async close(): Promise<CollectedOutput> {
    const { file } = this;
    if (file === null) return { text: this.head + this.tail, cut: false };
    await new Promise<void>((resolve) => file.stream.end(resolve).once('error', () => resolve()));
    const missing = this.total - this.head.length - this.tail.length;
    const where = file.failed === null ? `; all of it is in ${file.path}` : '';
    return {
      text: `${this.head}\n… (${missing} characters left out here${where}) …\n${this.tail}`,
      cut: true,
    };
  }

  private startFile(): void {
    const name = path.join(this.folder, `command-${randomBytes(6).toString('hex')}.txt`);
    const stream = createWriteStream(name, { mode: 0o600, flags: 'wx' });
    const file = { stream, path: name, failed: null as Error | null };
    stream.on('error', (error) => {
      file.failed = error;
    });
    stream.write(this.head + this.tail);
    this.file = file;
  }
}
