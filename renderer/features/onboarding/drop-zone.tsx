// Folders dropped anywhere on the window are opened; several at once as one workspace.
import { useEffect, useState } from 'react';
import { droppedPath } from '../../bridge';
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
      <p>Drop a folder to open it, or several to open them together</p>
    </div>
  ) : null;
}

function open(files: readonly File[]): void {
  const paths = files.map(droppedPath).filter((path) => path !== '');
  if (paths.length > 0) void openFolder({ by: 'paths', paths });
}
