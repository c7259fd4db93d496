// One file of the workspace to read. It follows the disk.
import { ExternalLink, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { FileSide } from '../../../shared/domain';
import type { PathText } from '../../../shared/rel-path';
import { call, type ErrorInfo, subscribe } from '../../bridge';
import { IconButton } from '../../components/button';
import { ErrorText, Notice } from '../../components/notice';
import pane from '../../components/pane.module.css';
import { bytesOf } from '../../components/time';
import { FileView } from '../../monaco/file-view';
import { attempt } from '../../store/toast';
import { closeRight } from '../../store/ui';
import styles from './file-preview.module.css';

const NOTES = {
  binary: 'Binary file',
  large: 'Too large to show here',
  folder: 'A folder',
  link: 'A link; its target is shown',
} as const;

export function FilePreview({ file }: { readonly file: PathText }) {
  const { side, error } = useFile(file);
  return (
    <section className={pane.pane} aria-label={file.path}>
      <header className={pane.head}>
        <code className={styles.path} title={file.path}>
          {file.path}
        </code>
        <span className={styles.about}>{side === null ? '' : aboutOf(side)}</span>
        <IconButton label="Open in editor" onClick={() => void attempt('workspace.open-file', file)}>
          <ExternalLink size={14} />
        </IconButton>
        <IconButton label="Close file" onClick={closeRight}>
          <X size={14} />
        </IconButton>
      </header>
      {error === null ? null : (
        <Notice flat tone="error">
          <ErrorText error={error} />
        </Notice>
      )}
      {side?.note == null ? null : <p className={styles.note}>{NOTES[side.note]}</p>}
      {side?.text == null ? null : <FileView path={file.path} text={side.text} />}
    </section>
  );
}

function aboutOf(side: FileSide): string {
  const parts = [bytesOf(side.bytes)];
  if (side.endings !== 'lf' && side.endings !== 'none') parts.push(side.endings.toUpperCase());
  if (!['', 'utf-8', 'ascii'].includes(side.encoding)) parts.push(side.encoding);
  return parts.join(' · ');
}

const SETTLE_MS = 200;

function useFile(file: PathText): { readonly side: FileSide | null; readonly error: ErrorInfo | null } {
  const [state, setState] = useState<{ side: FileSide | null; error: ErrorInfo | null }>({
    side: null,
    error: null,
  });
  const { path, pathBase64 } = file;
  useEffect(() => {
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const read = async () => {
      const result = await call('file.read', pathBase64 === undefined ? { path } : { path, pathBase64 });
      if (!gone)
        setState(result.ok ? { side: result.value, error: null } : { side: null, error: result.error });
    };
    const end = subscribe((push) => {
      if (push.push !== 'workspace-changed') return;
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(() => void read(), SETTLE_MS);
    });
    setState({ side: null, error: null });
    void read();
    return () => {
      gone = true;
      if (timer !== null) clearTimeout(timer);
      end();
    };
  }, [path, pathBase64]);
  return state;
}
