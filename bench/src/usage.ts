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
