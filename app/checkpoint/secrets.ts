// Files that are never captured because they hold secrets: not even when the project tracks them or a tool wrote them.
// Does not own: the list (shared/secret-names). Invariant: a path is judged by its name alone where that is enough.
import { needsContent, secretByName, secretByText } from '../../shared/secret-names';

export { secretByName };

/** Why a file with this content is a secret; null: it is not. */
export function secretByContent(path: string, body: Buffer): string | null {
  return needsContent(path) ? secretByText(path, body.toString('latin1')) : null;
}

/** True when only the content can tell, so that nothing is known of a file of this name that cannot be read now. */
export function mayBeSecret(path: string): boolean {
  return secretByName(path) !== null || needsContent(path);
}

const SECRET = 'a secret is never captured: ';
export const secretReason = (why: string): string => `${SECRET}${why}`;
/** True for a reason of leaving out that `secretReason` made. */
export const isSecretReason = (reason: string): boolean => reason.startsWith(SECRET);
