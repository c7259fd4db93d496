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

  /** Keeps all of it in a file from now on, however short it is. @returns the file's path */
  keepAll(): string {
    this.file ??= this.startFile();
    return this.file.path;
  }

  /** Adds a piece and returns its text. */
  add(chunk: Buffer): string {
    const text = this.decoder.write(chunk);
    const before = this.total;
    this.total += text.length;
    const room = Math.max(0, KEEP - this.head.length);
    this.head += text.slice(0, room);
    this.tail += text.slice(room);
    if (this.file !== null) {
      if (before < MOST_KEPT_IN_FILE) this.file.stream.write(text);
    } else if (this.tail.length > KEEP) this.file = this.startFile();
    if (this.tail.length > 2 * KEEP) this.tail = this.tail.slice(-KEEP);
    return text;
  }

  /** The end of it so far, at most so many characters. */
  recent(most: number): string {
    return (this.head + this.tail.slice(-KEEP)).slice(-most);
  }

  async close(): Promise<CollectedOutput> {
    const { file } = this;
    if (file !== null) await new Promise<void>((r) => file.stream.end(r).once('error', () => r()));
    const tail = this.tail.slice(-KEEP);
    const missing = this.total - this.head.length - tail.length;
    if (missing <= 0) return { text: this.head + tail, cut: false };
    const all = this.total > MOST_KEPT_IN_FILE ? 'the first 50 MB of it are' : 'all of it is';
    const where = file === null || file.failed !== null ? '' : `; ${all} in ${file.path}`;
    return { text: `${this.head}\n… (${missing} characters left out here${where}) …\n${tail}`, cut: true };
  }

  private startFile(): NonNullable<typeof this.file> {
    const name = path.join(this.folder, `command-${randomBytes(6).toString('hex')}.txt`);
    const stream = createWriteStream(name, { mode: 0o600, flags: 'wx' });
    const file = { stream, path: name, failed: null as Error | null };
    stream.on('error', (error) => {
      file.failed = error;
    });
    stream.write(this.head + this.tail);
    return file;
  }
}
