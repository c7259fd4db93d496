// The two Electron channels. The preload imports this file and nothing else of ours.
export const INVOKE_CHANNEL = 'tidemark:invoke';
export const PUSH_CHANNEL = 'tidemark:push';
