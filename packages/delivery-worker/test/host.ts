import {
  createIntegrations,
  type Integrations,
  type IntegrationsOptions,
  type QuotePipeline,
} from '@quickquote/core'
import {
  createCertificate,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from '@quickquote/dev-servers'
import { adminOf, hostOptions, keepLogs, type LogLine } from '@quickquote/dev-servers/host'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from '../src/index.ts'

export const ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
export const STEP_EVENT = 'quotation.requirement_analysis.completed'

/** Of every receiver. */
export const certificate = await createCertificate()

export interface AttemptRow {
  readonly endpoint_id: string
  readonly attempt: number
  readonly status: string
  readonly http_status: number | null
  readonly error: string | null
  readonly next_attempt_at: Date | null
}

/** An application with integrations and its own database. */
export interface Host {
  readonly integrations: Integrations
  readonly sql: postgres.Sql
  readonly databaseUrl: string
  readonly logs: readonly LogLine[]
  createEndpoint(url: string, organizationId?: string): Promise<{ id: string; secret: string }>
  /** Starts a quote and completes its first step: one event, with a delivery to each endpoint of the organization. */
  finishStep(organizationId?: string): Promise<string>
  /** An accepted quote, with the order to start its pipeline. */
  startQuote(organizationId?: string): Promise<string>
  /** A worker that is stopped with the host. */
  createWorker(options?: Partial<DeliveryWorkerOptions>): DeliveryWorker
  /** The recorded attempts, oldest first. */
  attempts(): Promise<AttemptRow[]>
  /** The rows of the outbox. */
  pending(): Promise<{ attempt: number; leased_by: string | null; parked_at: Date | null; due_at: Date }[]>
  /** Earlier than the end of the test. */
  close(): Promise<void>
}

export type HostOptions = Partial<Omit<IntegrationsOptions, 'storage' | 'pipeline'>> & {
  /** The host's pipeline hook. Default: accepts every quote, and does nothing. */
  readonly startPipeline?: QuotePipeline['start']
  /** The host's hook for cancelled quotes. Default none. */
  readonly cancelPipeline?: QuotePipeline['cancel']
  /** An empty database. Default: a new one. */
  readonly databaseUrl?: string
}

/** A receiver that is stopped after the test. */
export async function openReceiver(respond?: ReceiverOptions['respond']): Promise<Receiver> {
  const receiver = await startReceiver({ certificate, ...(respond && { respond }) })
  onTestFinished(() => receiver.stop())
  return receiver
}

/** A host that is closed after the test, before what the test opened earlier. */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const { startPipeline = hostOptions.pipeline.start, cancelPipeline, databaseUrl, ...settings } = options
  const database = databaseUrl === undefined ? await migratedDatabase() : undefined
  const url = databaseUrl ?? database?.url ?? ''
  const sql = postgres(url, { onnotice() {} })
  const storage = drizzleStorage({ connectionString: url })
  if (databaseUrl !== undefined) await storage.migrate()
  const { logger, lines: logs } = keepLogs()
  const integrations = createIntegrations({
    ...hostOptions,
    storage,
    pipeline: {
      ...hostOptions.pipeline,
      start: startPipeline,
      ...(cancelPipeline && { cancel: cancelPipeline }),
    },
    logger,
    ...settings,
  })
  const workers: DeliveryWorker[] = []
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await Promise.all(workers.map((worker) => worker.stop({ deadlineMs: 0 })))
    await integrations.close()
    await sql.end()
    await database?.drop()
  }
  onTestFinished(close)

  async function startQuote(organizationId = ORGANIZATION): Promise<string> {
    const { quotation_id } = await integrations.quotations.start({
      organizationId,
      source: 'api_key',
      body: { requirementsText: 'A roof.' },
    })
    return quotation_id
  }

  return {
    integrations,
    sql,
    databaseUrl: url,
    logs,
    startQuote,
    async createEndpoint(endpointUrl, organizationId = ORGANIZATION) {
      const { id, secret } = await integrations.webhookEndpoints.create(adminOf(organizationId), {
        name: 'receiver',
        url: endpointUrl,
        events: [STEP_EVENT],
      })
      return { id, secret: secret.reveal() }
    },
    async finishStep(organizationId) {
      const id = await startQuote(organizationId)
      await integrations.pipeline(id).stepCompleted('requirement_analysis')
      return id
    },
    createWorker(workerOptions = {}) {
      const worker = createDeliveryWorker({ integrations, ...workerOptions })
      workers.push(worker)
      return worker
    },
    async attempts() {
      return [
        ...(await sql<AttemptRow[]>`
          select endpoint_id, attempt, status, http_status, error, next_attempt_at
          from quickquote.delivery_attempts order by created_at, attempt`),
      ]
    },
    async pending() {
      return [
        ...(await sql<never[]>`select attempt, leased_by, parked_at, due_at from quickquote.deliveries`),
      ]
    },
    close,
  }
}

/** Retries are immediate: tests check their number and order. */
export const NO_WAITING = { backoffMs: 1, backoffFactor: 1, jitter: 0 }
