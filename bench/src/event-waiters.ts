// A process that holds requests that wait for events.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { serveParent } from './child.ts'

interface Waiting {
  readonly origin: string
  readonly apiKeys: readonly string[]
  readonly count: number
}

const eventWaiters = { hold, release }
export type EventWaiters = typeof eventWaiters
serveParent(eventWaiters)

const WAIT = '/v1/integrations/events?after=latest&wait=20'

const EVERY_MS = 5

let pool: Pool | undefined
let held: Promise<unknown>[] = []
let isReleased = false

/** Opens the requests, and reopens each when answered, until `release`. Returns at once. */
async function hold({ origin, apiKeys, count }: Waiting): Promise<void> {
  const opened = new Pool(origin, { connections: count, pipelining: 1, headersTimeout: 60_000 })
  pool = opened
  isReleased = false
  const wait = async (apiKey: string) => {
    const headers = { 'x-api-key': apiKey }
    while (!isReleased) {
      const { statusCode, body } = await opened.request({ method: 'GET', path: WAIT, headers })
      await body.dump()
      if (statusCode !== 200) throw new Error(`A wait was answered with ${statusCode}`)
    }
  }
  held = Array.from({ length: count }, async (_, index) => {
    // One by one: a thousand at once would measure something else.
    await sleep(index * EVERY_MS)
    try {
      if (!isReleased) await wait(apiKeys[index % apiKeys.length] ?? '')
    } catch (error) {
      if (!isReleased) throw error
    }
  })
}

/** Closes the requests. */
async function release(): Promise<void> {
  isReleased = true
  await pool?.destroy()
  await Promise.all(held)
}
