import type { Child } from '@quickquote/dev-servers/child'
import type { BareHost } from './bare-host.ts'
import type { BenchContext } from './bench.ts'
import type { Load, LoadFigures, LoadService } from './load.ts'
import { createPartnerData, type PartnerData } from './partner-data.ts'
import type { PartnerHost } from './partner-host.ts'
import { type Contender, type Measured, medianOf, ratioOf } from './rounds.ts'
import { percent } from './table.ts'

/** Connections, each with one request in flight. */
const IN_FLIGHT = 32

export type HttpFigures = LoadFigures & {
  /** CPU time of the server process per request, in microseconds, without PostgreSQL's and the client's. */
  readonly cpuUs: number
}

/** A running server, in its own process. */
export interface HttpSide {
  readonly origin: string
  cpuSeconds(): Promise<number>
}

export async function startPartnerHost(context: BenchContext, data: PartnerData): Promise<HttpSide> {
  const host = context.start<PartnerHost>('./partner-host.js')
  return sideOf(host, await host.call('listen', data))
}

async function startBareHost(context: BenchContext, data: PartnerData): Promise<HttpSide> {
  const host = context.start<BareHost>('./bare-host.js')
  return sideOf(host, await host.call('listen', data))
}

function sideOf(host: Child<{ cpuSeconds: () => Promise<number> }>, origin: string): HttpSide {
  return { origin, cpuSeconds: () => host.call('cpuSeconds') }
}

/** Our host and a bare one, on the same new data. */
export async function startHosts(context: BenchContext, options: { keys: number }) {
  const data = await createPartnerData(context, options)
  return { data, partner: await startPartnerHost(context, data), bare: await startBareHost(context, data) }
}

/** A contender that answers the requests of a load. */
export function httpContender(
  name: string,
  side: HttpSide,
  client: Child<LoadService>,
  load: Omit<Load, 'origin' | 'inFlight'>,
): Contender<HttpFigures> {
  return {
    name,
    async measure() {
      const before = await side.cpuSeconds()
      const figures = await client.call('run', { ...load, origin: side.origin, inFlight: IN_FLIGHT })
      const cpuSeconds = (await side.cpuSeconds()) - before
      return { ...figures, cpuUs: (cpuSeconds / figures.answered) * 1e6 }
    },
  }
}

export const HTTP_HEAD = ['', 'requests/s', 'ratio', 'lowest', 'highest', 'p50 ms', 'p99 ms', 'server CPU us']

/** A table row: medians, and the ratio of requests per second to the base, round by round. */
export function httpRow(contender: Measured<HttpFigures>, base: Measured<HttpFigures>): string[] {
  const { median, lowest, highest } = ratioOf(contender, base, 'perSecond')
  return [
    contender.name,
    medianOf(contender, 'perSecond').toFixed(0),
    ...[median, lowest, highest].map(percent),
    medianOf(contender, 'p50Ms').toFixed(1),
    medianOf(contender, 'p99Ms').toFixed(1),
    medianOf(contender, 'cpuUs').toFixed(0),
  ]
}
