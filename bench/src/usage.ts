import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Processor time of this process so far. */
export async function ownCpuSeconds(): Promise<number> {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const SAMPLE_EVERY_MS = 5
let peak = 0
let sampler: NodeJS.Timeout | undefined

/** Looks at the resident memory of this process from now on. Returns what it is now, in bytes. */
export async function watchMemory(): Promise<number> {
  clearInterval(sampler)
  peak = process.memoryUsage.rss()
  sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, SAMPLE_EVERY_MS)
  return peak
}

/** The most that it was since, in bytes. */
export async function peakMemory(): Promise<number> {
  return Math.max(peak, process.memoryUsage.rss())
}

/** Milliseconds on a clock that all processes of this machine share, and that nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** What a process holds. */
export interface Footprint {
  /** After a collection. */
  readonly heapBytes: number
  /** Buffers and the like, after a collection. */
  readonly externalBytes: number
  readonly rssBytes: number
  /** NaN where the system does not tell (Linux does). */
  readonly fileDescriptors: number
}

/** What this process holds once its garbage is collected. */
export async function footprint(): Promise<Footprint> {
  collectGarbage()
  // What was waiting for the collection (finalizers, closed handles) is let go of in the next turns.
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
