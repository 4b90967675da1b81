import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { EVENT_TYPES, type QuotePipeline, STEPS, type Storage } from '@quickquote/core'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { type Receiver, startReceiver } from '@quickquote/dev-servers'
import { integrationsOn, keepLogs } from '@quickquote/dev-servers/host'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import { verify } from '@quickquote/webhook-signature'
import Fastify from 'fastify'
import type { Sql } from 'postgres'
import { expect, vi } from 'vitest'
import { eventOf } from './received-event.ts'

const ORGANIZATION = randomUUID()
const FILE = Buffer.alloc(700_000, 'Customers sign in and see their invoices. ')

/**
 * Uses the product as partners, members and the host, from a key to a replay, with API and worker in one process on the
 * given storage. Closes the storage.
 * @param host the host's own connections, in whose transaction a quote is started
 */
export async function tryProduct(storage: Storage, { host }: { host: Sql }): Promise<void> {
  const receiver = await startReceiver()
  const { logger, lines } = keepLogs()
  const integrations = integrationsOn(storage, {
    delivery: { maxAttempts: 1 },
    pipeline: { start: runPipeline },
    logger,
  })
  const app = Fastify()
  await app.register(fastifyIntegrations, {
    integrations,
    resolveSession: () => ({ memberId: 'admin', organizations: [{ id: ORGANIZATION, role: 'admin' }] }),
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const worker = createDeliveryWorker({
    integrations,
    ca: receiver.certificate.cert,
    pollIntervalMs: 100,
    heartbeatMs: 500,
    deadAfterMs: 5000,
  })
  await worker.start()
  try {
    await useProduct({ url, receiver, inHostTransaction })
  } finally {
    await worker.stop()
    await app.close()
    await integrations.close()
    await receiver.stop()
  }
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])

  async function inHostTransaction(): Promise<string> {
    return host.begin(async (transaction) => {
      const { quotation_id } = await integrations.within(transaction).quotations.start({
        organizationId: ORGANIZATION,
        source: 'ui',
        body: { requirementsText: 'A roof.' },
      })
      return quotation_id
    })
  }
}

const runPipeline: QuotePipeline['start'] = async (quote, { report, readFile }) => {
  for (const file of quote.files) {
    expect((await buffer(readFile(file))).equals(FILE)).toBe(true)
  }
  for (const step of STEPS) {
    await report.stepStarted(step)
    if (step === 'proposal') await report.proposalReady({ documentId: randomUUID() })
    else await report.stepCompleted(step)
  }
  await report.completed()
}

interface Running {
  readonly url: string
  readonly receiver: Receiver
  /** Starts a quote in a transaction of the host. */
  readonly inHostTransaction: () => Promise<string>
}

async function useProduct({ url, receiver, inHostTransaction }: Running): Promise<void> {
  const organization = `/v1/organizations/${ORGANIZATION}`
  const key = (
    await call<{ id: string; key: string }>('POST', `${organization}/api-keys`, {
      name: 'CRM',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
  ).body
  const endpoint = (
    await call<{ id: string; secret: string }>('POST', `${organization}/webhooks`, {
      name: 'CRM',
      url: `${receiver.url}/crm`,
      events: EVENT_TYPES,
      trigger_mode: 'always',
    })
  ).body
  const endpointPath = `${organization}/webhooks/${endpoint.id}`

  // Three concurrent quotes, with files of several chunks; one more in a transaction of the host.
  const started = [
    ...(await Promise.all([startWithFiles(), startWithFiles(), startWithFiles()])),
    await inHostTransaction(),
  ]
  for (const quotationId of started) {
    const event = await receiver.next(
      (request) =>
        eventOf(request).type === 'quotation.completed' && eventOf(request).data.quotation_id === quotationId,
      { timeoutMs: 30_000 },
    )
    await verify({ body: event.rawBody, headers: event.headers, secrets: endpoint.secret })
    const quotation = await asPartner('GET', `/v1/integrations/quotations/${quotationId}`)
    expect(quotation.body).toMatchObject({ status: 'completed', processed_step: 'proposal' })
    const pipeline = await asPartner('GET', `/v1/integrations/quotations/${quotationId}/pipeline`)
    expect(pipeline.body).toMatchObject({ progress: { completed: 5, total: 5 } })
    const proposal = await asPartner('GET', `/v1/integrations/quotations/${quotationId}/proposal`)
    expect(proposal.status).toBe(200)
  }

  const ofEndpoint = `${organization}/webhooks/deliveries?endpoint_id=${endpoint.id}&limit=100`
  await vi.waitFor(
    async () => {
      const { body } = await call<{ status: string }[]>('GET', ofEndpoint)
      expect(body.map(({ status }) => status)).toEqual(Array(6 * started.length).fill('succeeded'))
    },
    { timeout: 60_000 },
  )

  // Events are missed while it is disabled; a replay sends them, signed with the rotated secret.
  await call('PATCH', endpointPath, { is_enabled: false })
  const since = new Date().toISOString()
  const missed = await startWithFiles()
  await vi.waitFor(
    async () => {
      const { body } = await asPartner('GET', `/v1/integrations/quotations/${missed}`)
      expect(body).toMatchObject({ status: 'completed' })
    },
    { timeout: 60_000 },
  )
  await call('PATCH', endpointPath, { is_enabled: true })
  const { secret } = (await call<{ secret: string }>('POST', `${endpointPath}/rotate-secret`, {})).body
  await call('POST', `${endpointPath}/replay`, { since })
  const brought = await receiver.next(
    (request) =>
      eventOf(request).type === 'quotation.completed' && eventOf(request).data.quotation_id === missed,
    { timeoutMs: 30_000 },
  )
  await verify({ body: brought.rawBody, headers: brought.headers, secrets: secret })

  const test = await call('POST', `${endpointPath}/test`, { event_type: 'quotation.failed' })
  expect(test.body).toMatchObject({ success: true, http_status: 204 })
  const { body: keys } = await call<{ masked_key: string }[]>('GET', `${organization}/api-keys`)
  expect(keys).toHaveLength(1)
  expect((await call<unknown[]>('GET', `${organization}/audit-log`)).body).toHaveLength(7)
  await call('DELETE', `${organization}/api-keys/${key.id}`)
  expect((await asPartner('GET', `/v1/integrations/quotations/${missed}`)).status).toBe(403)
  await call('DELETE', endpointPath)

  async function startWithFiles(): Promise<string> {
    const form = new FormData()
    for (const name of ['a.txt', 'b.md']) form.append('files', new File([FILE], name))
    const { status, body } = await asPartner('POST', '/v1/integrations/quotations', form)
    expect(status).toBe(202)
    return String(body['quotation_id'])
  }

  async function asPartner(method: string, path: string, form?: FormData) {
    const headers = { 'X-API-Key': key.key }
    const response = await fetch(url + path, {
      method,
      headers,
      ...(form === undefined ? {} : { body: form }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  /** A successful call of a member. */
  async function call<T>(method: string, path: string, json?: unknown): Promise<{ body: T }> {
    const response = await fetch(url + path, {
      method,
      headers: json === undefined ? {} : { 'Content-Type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true)
    return { body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
}
