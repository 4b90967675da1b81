import {
  createCertificate,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { type OpenIntegrations, type OpenOptions, openIntegrations } from '@quickquote/dev-servers/vitest'
import { onTestFinished } from 'vitest'
import { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from '../../src/index.ts'

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
export interface Host extends OpenIntegrations {
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
}

export type HostOptions = Omit<OpenOptions, 'closeAfter'>

/** A receiver that is stopped after the test. */
export async function openReceiver(respond?: ReceiverOptions['respond']): Promise<Receiver> {
  const receiver = await startReceiver({ certificate, ...(respond && { respond }) })
  onTestFinished(() => receiver.stop())
  return receiver
}

/** A host that is closed after the test, before what the test opened earlier. */
export async function openHost(options: HostOptions = {}): Promise<Host> {
  const opened = await openIntegrations(options)
  const { integrations, sql } = opened
  const workers: DeliveryWorker[] = []

  async function close(): Promise<void> {
    await Promise.all(workers.map((worker) => worker.stop({ deadlineMs: 0 })))
    await opened.close()
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
    ...opened,
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
