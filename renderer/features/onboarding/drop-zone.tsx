// A folder dropped anywhere on the window is opened.
import { useEffect, useState } from 'react';
import { droppedPath } from '../../bridge';
import { showToast } from '../../store/toast';
import { openFolder } from '../../store/workspace';
import styles from './drop-zone.module.css';

const hasFiles = (e: DragEvent): boolean => e.dataTransfer?.types.includes('Files') ?? false;

export function DropZone() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const enter = (e: DragEvent) => {
      if (!hasFiles(e)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (e: DragEvent) => {
      if (!hasFiles(e)) return;
      depth = Math.max(0, depth - 1);
      setOver(depth > 0);
    };
    const allow = (e: DragEvent) => {
      if (hasFiles(e)) e.preventDefault();
    };
    const drop = (e: DragEvent) => {
      if (!hasFiles(e)) return;
      e.preventDefault();
      depth = 0;
      setOver(false);
      open([...(e.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return over ? (
    <div className={styles.zone}>
      <p>Drop a folder to open it</p>
    </div>
  ) : null;
}

function open(files: readonly File[]): void {
  const [file, ...rest] = files;
  if (file === undefined) return;
  if (rest.length > 0) {
    showToast({
      tone: 'error',
      text: 'Checkpoints are not currently supported in multi-root workspaces.',
      detail: 'Drop one folder.',
    });
    return;
  }
  const path = droppedPath(file);
  if (path !== '') void openFolder({ by: 'path', path });
}
