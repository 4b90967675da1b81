import { serveParent } from '@quickquote/dev-servers/child'
import { ownCpuSeconds } from '../usage.ts'

/** The options of a sender. */
export interface SenderSettings {
  readonly databaseUrl: string
  /** Null if no Redis runs. */
  readonly redisUrl: string | null
  readonly origin: string
  readonly ca: string
  readonly sockets: number
  /** The most deliveries in flight. */
  readonly inFlight: number
  /** The variant, if a sender has several. */
  readonly way: string
}

/** A contender: fills its queue, then claims, signs, sends and records all of it. */
export interface Sender {
  fill(deliveries: number): Promise<void>
  /** Resolves when `deliveries` are recorded. */
  drain(deliveries: number): Promise<void>
}

export type SenderService = {
  open(settings: SenderSettings): Promise<void>
  fill(deliveries: number): Promise<void>
  /** Returns the seconds it took. */
  drain(deliveries: number): Promise<number>
  cpuSeconds(): Promise<number>
}

/** For the process of a sender. */
export function serveSender(create: (settings: SenderSettings) => Promise<Sender>): void {
  let opened: Sender | undefined

  function sender(): Sender {
    if (opened === undefined) throw new Error('open() comes first.')
    return opened
  }

  const service: SenderService = {
    async open(settings) {
      opened = await create(settings)
    },
    fill: (deliveries) => sender().fill(deliveries),
    async drain(deliveries) {
      const begun = performance.now()
      await sender().drain(deliveries)
      return (performance.now() - begun) / 1000
    },
    cpuSeconds: ownCpuSeconds,
  }
  serveParent(service)
}
