import { signal } from '@preact/signals'

/** Grows when a session has come back: what failed for want of one is loaded again. */
export const signIns = signal(0)
