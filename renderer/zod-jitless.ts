// Imported before anything that makes a schema: zod would otherwise try `new Function` to see whether it may compile,
// which the content security policy refuses and reports.
import { config } from 'zod';

config({ jitless: true });
