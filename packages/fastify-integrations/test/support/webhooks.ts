import { createDeliveryWorker, type DeliveryWorkerOptions } from '@quickquote/delivery-worker'
import { type Receiver, startReceiver } from '@quickquote/dev-servers'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { ACME, GLOBEX, type Host, type HostOptions, type MemberName, startHost, useDatabase } from './host.ts'

export function webhooksOf(organizationId: string): string {
  return `/v1/organizations/${organizationId}/webhooks`
}

export const WEBHOOKS = webhooksOf(ACME)

const webhooksFor = (member: MemberName) => webhooksOf(member === 'globex-admin' ? GLOBEX : ACME)

/** Calls of a member below the webhooks of their organization. */
export function webhookCalls(context: { readonly host: Host }) {
  return (method: string, path: string, json?: unknown, member: MemberName = 'acme-admin') =>
    context.host.call(method, webhooksFor(member) + path, { member, json })
}

export interface CreatedEndpoint {
  readonly id: string
  readonly secret: string
}

/** An endpoint that subscribes to `quotation.completed` and `quotation.failed` by default. */
export async function createEndpoint(
  host: Host,
  fields: object = {},
  member: MemberName = 'acme-admin',
): Promise<CreatedEndpoint & Record<string, unknown>> {
  const { status, body } = await host.call('POST', webhooksFor(member), {
    member,
    json: {
      name: 'CRM',
      url: 'https://crm.example.com/hook',
      events: ['quotation.completed', 'quotation.failed'],
      ...fields,
    },
  })
  expect(status).toBe(201)
  return { ...body, id: String(body['id']), secret: String(body['secret']) }
}

/** Ends the overlap of a previous secret of an endpoint: 0 is the newest. */
export async function endOverlap(sql: Sql, endpointId: string, place: number) {
  await sql`update quickquote.webhook_endpoints
    set previous_secrets = jsonb_set(previous_secrets, array[${String(place)}, 'expires_at'], to_jsonb(now() - interval '1 second'))
    where id = ${endpointId}`
}

/** Starts a quote whose run fails: `quotation.failed` is recorded. */
export async function failQuote(host: Host, name: string, member: MemberName = 'acme-admin') {
  const { key } = await host.createKey(member)
  const id = await host.startQuotation(key, { name, requirementsText: 'Customers see their invoices.' })
  await host.integrations.pipeline(id).failed({ errorCode: 'MODEL_TIMEOUT' })
  return id
}

/** A host, an HTTPS receiver that the host may call, and a worker between them. */
export function useDeliveries({
  worker = {},
  ...options
}: Omit<HostOptions, 'databaseUrl'> & { worker?: Partial<DeliveryWorkerOptions> } = {}) {
  const database = useDatabase()
  let host: Host
  let receiver: Receiver
  let stopWorker: () => Promise<void>
  let endpoints = 0
  let answer: Parameters<typeof startReceiver>[0] = {}

  beforeAll(async () => {
    receiver = await startReceiver({ respond: (request) => answer?.respond?.(request) ?? { status: 204 } })
    host = await startHost({ ...options, databaseUrl: database.url })
    stopWorker = await startWorker(host, receiver, worker)
  })
  afterAll(async () => {
    await stopWorker()
    await host.close()
    await receiver.stop()
  })
  return {
    get host() {
      return host
    },
    get receiver() {
      return receiver
    },
    get sql() {
      return database.sql
    },
    get databaseUrl() {
      return database.url
    },
    call: webhookCalls({
      get host() {
        return host
      },
    }),
    /** An endpoint with its own path at the receiver. */
    async newEndpoint(fields: object = {}, member?: MemberName) {
      endpoints += 1
      const path = `/${endpoints}`
      const url = receiver.url + path
      return { ...(await createEndpoint(host, { url, ...fields }, member)), path, url }
    },
    requestsTo: (path: string) => receiver.requests.filter((request) => request.path === path),
    /** Resolves once there are this many attempts: of an endpoint, or of all. */
    async attempted(count: number, endpointId: string | null = null) {
      // Not `expect.poll`, which is only for tests: hooks wait, too.
      await vi.waitFor(async () => {
        const attempts = await database.sql`select from quickquote.delivery_attempts
          where ${endpointId}::uuid is null or endpoint_id = ${endpointId}`
        expect(attempts).toHaveLength(count)
      }, 60_000)
    },
    stopWorker: () => stopWorker(),
    async startWorker() {
      stopWorker = await startWorker(host, receiver, worker)
    },
    /** Sets the response of the receiver from now on. */
    respond(respond: NonNullable<NonNullable<typeof answer>['respond']>) {
      answer = { respond }
    },
  }
}

/** @returns a function that stops it */
export async function startWorker(
  host: Pick<Host, 'integrations'>,
  receiver: Receiver,
  options: Partial<DeliveryWorkerOptions> = {},
): Promise<() => Promise<void>> {
  const worker = createDeliveryWorker({
    integrations: host.integrations,
    ca: receiver.certificate.cert,
    ...options,
  })
  await worker.start()
  return () => worker.stop({ deadlineMs: 1000 })
}
