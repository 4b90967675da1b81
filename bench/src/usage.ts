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
