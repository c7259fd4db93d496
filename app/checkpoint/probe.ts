/** Called between the steps of a capture and a restore. Crash tests end the process in it; the product does nothing. */
export type Probe = (step: string) => void | Promise<void>;

export const noProbe: Probe = () => undefined;
