// The source of randomness for ids.
import { webcrypto } from 'node:crypto';

/** Fills the bytes with cryptographic randomness. */
export const randomBytes = (bytes: Uint8Array): unknown => webcrypto.getRandomValues(bytes);
