// Keys are encrypted by the operating system's key store, through Electron.
import { safeStorage } from 'electron';
import type { Cipher } from '../runtime';

/** On Linux without a key ring Electron would encrypt with a fixed password: that counts as having none. */
export function safeCipher(): Cipher {
  return {
    available: () => {
      if (!safeStorage.isEncryptionAvailable()) return false;
      const backend = (
        safeStorage as { getSelectedStorageBackend?: () => string }
      ).getSelectedStorageBackend?.();
      return (
        process.platform !== 'linux' ||
        (backend !== undefined && backend !== 'basic_text' && backend !== 'unknown')
      );
    },
    encrypt: (text) => safeStorage.encryptString(text),
    decrypt: (bytes) => safeStorage.decryptString(bytes),
  };
}
