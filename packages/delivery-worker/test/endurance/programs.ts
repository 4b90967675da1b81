import type { Footprint, Service } from '@quickquote/dev-servers/child'
import type { SeenRequest } from './reconcile.ts'

/** host-process.js */
export interface Host extends Service {
  /** Migrates, and creates organizations with these endpoints. */
  open(options: {
    databaseUrl: string
    urls: readonly string[]
    organizationIds: readonly string[]
  }): Promise<void>
  /** Returns the origin of the plugin. */
  listen(): Promise<string>
  emit(options: {
    count: number
    organizationIds: readonly string[]
  }): Promise<{ accepted: string[]; failures: number }>
  /** Starts a worker in this process, after `open`. */
  deliver(options: { ca: string }): Promise<void>
  stopDelivering(): Promise<void>
  footprint(): Promise<Footprint>
}

/** worker-process.js */
export interface Worker extends Service {
  start(options: { databaseUrl: string; ca: string }): Promise<void>
  stop(): Promise<void>
  footprint(): Promise<Footprint>
}

/** receiver-process.js */
export interface Receiver extends Service {
  listen(certificate: { key: string; cert: string }): Promise<string[]>
  /** The requests since the last call. */
  take(most: number): Promise<SeenRequest[]>
}

/** load-process.js */
export interface Load extends Service {
  run(options: { origin: string; receiver: string; organizations: number }): Promise<void>
  /** The results so far; `faults` are examples of what no client should see: a status of 500 or above, or no response. */
  traffic(): Promise<{ requests: number; byStatus: Record<string, number>; faults: string[] }>
  stop(): Promise<void>
}
