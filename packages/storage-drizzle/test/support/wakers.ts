import type { Work } from '@quickquote/core/internal'
import type { Waker } from '../../src/connection/wake.ts'

/** Without other processes. */
export function localWaker(
  onWake: (work: Work) => void = () => {},
): Pick<Waker, 'wake' | 'announce' | 'offer'> {
  return {
    wake: onWake,
    announce: (work) => ({ channel: null, made: async () => onWake(work) }),
    offer: () => undefined,
  }
}
