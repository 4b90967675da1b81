import { serveParent } from '../child.ts'
import { ownCpuSeconds } from '../usage.ts'

/** What another way to deliver is told. */
export interface SenderSettings {
  readonly databaseUrl: string
  /** Null where no Redis runs. */
  readonly redisUrl: string | null
  readonly origin: string
  readonly ca: string
  readonly sockets: number
  /** Deliveries that may be under way at once. */
  readonly inFlight: number
  /** The way, where a sender knows several. */
  readonly way: string
}

/** One way to deliver: the queue is filled, then all of it is claimed, signed, sent and recorded. */
export interface Sender {
  fill(deliveries: number): Promise<void>
  /** Resolves when so many are recorded. */
  drain(deliveries: number): Promise<void>
}

export type SenderService = {
  open(settings: SenderSettings): Promise<void>
  fill(deliveries: number): Promise<void>
  /** Returns the seconds that it took. */
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
