import { signal } from '@preact/signals'

/**
 * The service's time, whatever this device's clock says. It ticks every ten seconds, each second under a countdown, and at
 * each response.
 */
export const now = signal(Date.now())

/** The service's clock minus this one, in milliseconds. */
let offset = 0
const read = () => Date.now() + offset

function tick(): void {
  now.value = read()
}

/**
 * Corrects the clock by a response.
 * @param date its `Date` header: whole seconds, rounded down
 * @param sentAt when the request was sent, by this device's clock
 */
export function setClock(date: string | null, sentAt: number): void {
  const at = Date.parse(date ?? '')
  if (Number.isNaN(at)) return
  // The response was written since then, within this second: only what contradicts that is corrected, so that times do
  // not jump.
  const latest = at + 1000 + (Date.now() - sentAt)
  const here = read()
  if (here < at) offset += at - here
  else if (here > latest) offset -= here - latest
  tick()
}

const TICK_MS = 10_000
export const COUNTDOWN_MS = 1000
const watchers: number[] = []
let timer: ReturnType<typeof setInterval> | undefined

function restart(): void {
  clearInterval(timer)
  timer = watchers.length === 0 ? undefined : setInterval(tick, Math.min(...watchers))
}

const onVisible = () => {
  if (document.visibilityState === 'visible') tick()
}

/**
 * @param everyMs how often it ticks at least
 * @returns stops it
 */
export function watchTime(everyMs: number = TICK_MS): () => void {
  if (watchers.push(everyMs) === 1) document.addEventListener('visibilitychange', onVisible)
  tick()
  restart()
  return () => {
    watchers.splice(watchers.indexOf(everyMs), 1)
    if (watchers.length === 0) document.removeEventListener('visibilitychange', onVisible)
    restart()
  }
}
