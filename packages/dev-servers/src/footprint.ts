import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The resources of a process. */
export interface Footprint {
  /** After a garbage collection. */
  readonly heapBytes: number
  /** Buffers and the like, after a garbage collection. */
  readonly externalBytes: number
  readonly rssBytes: number
  /** NaN except on Linux. */
  readonly fileDescriptors: number
}

/** The resources of this process after a garbage collection. */
export async function footprint(): Promise<Footprint> {
  collectGarbage()
  // Finalizers and closed handles are released in the next turns of the event loop.
  await sleep(50)
  collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  const fileDescriptors = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : Number.NaN
  return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss, fileDescriptors }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
