import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** CPU time of this process so far. */
export async function ownCpuSeconds(): Promise<number> {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const SAMPLE_EVERY_MS = 5
let peak = 0
let sampler: NodeJS.Timeout | undefined

/** Starts watching the resident memory of this process. Returns its current bytes. */
export async function watchMemory(): Promise<number> {
  clearInterval(sampler)
  peak = process.memoryUsage.rss()
  sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, SAMPLE_EVERY_MS).unref()
  return peak
}

/** The peak since then, in bytes. */
export async function peakMemory(): Promise<number> {
  return Math.max(peak, process.memoryUsage.rss())
}

/** Milliseconds on a monotonic clock that all processes of this machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

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
