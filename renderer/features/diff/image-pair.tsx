// Both sides of a picture beside each other, each with its size; one side alone where the file came or went.
import { useState } from 'react';
import type { FileSide } from '../../../shared/domain';
import { bytesOf } from '../../components/time';
import styles from './image-pair.module.css';

type Sides = { readonly before: FileSide | null; readonly after: FileSide | null };

/** True when there is a picture to show. */
export const isImage = ({ before, after }: Sides): boolean =>
  [before, after].some((s) => s?.image !== undefined) &&
  [before, after].every((s) => s === null || s.image !== undefined);

export function ImagePair({ before, after, path }: Sides & { readonly path: string }) {
  return (
    <div className={styles.pair}>
      {before === null ? null : <Picture side={before} name={`${path}, before`} words="Before" />}
      {after === null ? null : <Picture side={after} name={`${path}, after`} words="After" />}
    </div>
  );
}

type PictureProps = { readonly side: FileSide; readonly name: string; readonly words: string };

function Picture({ side, name, words }: PictureProps) {
  const [size, setSize] = useState<string | null>(null);
  const { image } = side;
  if (image === undefined) return null;
  return (
    <figure className={styles.picture}>
      <img
        className={styles.image}
        src={`data:${image.mediaType};base64,${image.base64}`}
        alt={name}
        onLoad={(e) => setSize(`${e.currentTarget.naturalWidth} × ${e.currentTarget.naturalHeight}`)}
        onError={() => setSize('cannot be shown')}
      />
      <figcaption className={styles.about}>
        {[words, size, bytesOf(side.bytes)].filter((w) => w !== null).join(' · ')}
      </figcaption>
    </figure>
  );
}
