// A process that sends requests as fast as they are answered.

import { serveParent } from '@quickquote/dev-servers/child'
import { Pool } from 'undici'

/** Requests use the paths and keys in turn. */
export interface Load {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly paths: readonly string[]
  /** Empty: sends no key. */
  readonly apiKeys: readonly string[]
  /** JSON. */
  readonly body: string | null
  readonly inFlight: number
  readonly seconds: number
  readonly expectedStatus: number
}

export type LoadFigures = {
  readonly answered: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const loadService = { run }
export type LoadService = typeof loadService
serveParent(loadService)

async function run(load: Load): Promise<LoadFigures> {
  const pool = new Pool(load.origin, { connections: load.inFlight, pipelining: 1 })
  const headers = headersOf(load)
  const times: number[] = []
  const begun = performance.now()
  const deadline = begun + load.seconds * 1000
  let sent = 0

  async function sendUntilDeadline(): Promise<void> {
    for (let now = performance.now(); now < deadline; ) {
      await send(
        pool,
        load,
        load.paths[sent % load.paths.length] ?? '/',
        headers[sent++ % headers.length] ?? [],
      )
      const answered = performance.now()
      times.push(answered - now)
      now = answered
    }
  }

  try {
    await Promise.all(Array.from({ length: load.inFlight }, sendUntilDeadline))
  } finally {
    await pool.destroy()
  }
  const seconds = (performance.now() - begun) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return { answered: times.length, perSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

function headersOf({ apiKeys, body }: Load): string[][] {
  const common = body === null ? [] : ['content-type', 'application/json']
  return apiKeys.length === 0 ? [common] : apiKeys.map((key) => ['x-api-key', key, ...common])
}

/** undici's cheapest API: the load takes CPU time from the servers. */
function send(pool: Pool, load: Load, path: string, headers: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0
    pool.dispatch(
      { method: load.method, path, headers, body: load.body },
      {
        onRequestStart() {},
        onResponseStart(_, statusCode) {
          status = statusCode
        },
        onResponseData() {},
        onResponseEnd() {
          if (status === load.expectedStatus) resolve()
          else reject(new Error(`${load.method} was answered with ${status}`))
        },
        onResponseError(_, error) {
          reject(error)
        },
      },
    )
  })
}
