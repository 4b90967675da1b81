import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { STEPS } from '@quickquote/core'
import type { Receiver } from '@quickquote/dev-servers'
import { adminOf } from '@quickquote/dev-servers/host'
import { expect } from 'vitest'
import {
  certificate,
  type Host,
  type HostOptions,
  ORGANIZATION,
  openHost,
  openReceiver,
  STEP_EVENT,
} from './host.ts'

export const OTHER = '0d9c8b7a-6f5e-4d4c-9b3a-2f1e0d9c8b7a'
/** Of the members' requests. */
export const ADDRESS = '203.0.113.7'
export const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** Of the running test. */
export let host: Host
export let receiver: Receiver

/** The beginning of all texts of an organization, to search for. */
export const textOf = (organizationId: string) => `Text-${organizationId.slice(0, 8)}`

export async function open(options: HostOptions = {}): Promise<void> {
  // Responds with the text in its address.
  receiver = await openReceiver(({ path }) => ({ status: 200, body: path }))
  host = await openHost(options)
}

export async function startQuote(organizationId: string, on = host.integrations) {
  const text = textOf(organizationId)
  const bytes = (async function* () {
    yield Buffer.from(text)
  })()
  const incoming = { organizationId, index: 0, name: `${text}.txt`, bytes }
  const file = await on.requirementsFiles.receive(incoming)
  const { quotation_id } = await on.quotations.start({
    organizationId,
    source: 'api_key',
    body: { name: text, description: text, requirementsText: text, metadata: { text } },
    files: [file],
    idempotencyKey: text + Math.random(),
  })
  return quotation_id
}

/** Creates something of an organization in every table. @returns all their ids */
export async function fill(organizationId: string, quotations = 3): Promise<string[]> {
  const { integrations, sql } = host
  const admin = { ...adminOf(organizationId), clientAddress: ADDRESS }
  const text = textOf(organizationId)
  const expires_at = new Date(Date.now() + YEAR_MS).toISOString()
  const key = await integrations.apiKeys.create(admin, { name: text, expires_at })
  const request = { method: 'GET', route: '/', status: 200, address: ADDRESS, request_id: text }
  integrations.apiKeys.noteRequest(key.id, request)
  // Writes it.
  await integrations.apiKeys.uses(admin, key.id)
  const endpoint = await integrations.webhookEndpoints.create(admin, {
    name: text,
    description: text,
    url: `${receiver.url}/${text}`,
    events: [STEP_EVENT],
  })
  await integrations.webhookEndpoints.update(admin, endpoint.id, { url: `${receiver.url}/${text}/new` })
  await integrations.webhookEndpoints.rotateSecret(admin, endpoint.id, { overlap_seconds: 3600 })
  const gone = await integrations.webhookEndpoints.create(admin, {
    name: text,
    url: `${receiver.url}/${text}`,
    events: [STEP_EVENT],
  })
  await integrations.webhookEndpoints.delete(admin, gone.id)
  const ids: string[] = [organizationId, key.id, endpoint.id, gone.id]
  for (let n = 0; n < quotations; n += 1) {
    const id = await startQuote(organizationId)
    const report = integrations.pipeline(id)
    for (const step of STEPS.slice(0, -1)) await report.stepCompleted(step)
    await report.proposalReady({ name: text })
    ids.push(id)
  }
  // Stray data: an upload, and bytes without a record.
  const bytes = (async function* () {
    yield Buffer.from(text)
  })()
  const upload = { organizationId, index: 0, name: 'a.txt', bytes }
  await integrations.requirementsFiles.receive(upload)
  await sql`insert into quickquote.file_chunks (file_id, position, organization_id, is_last, bytes)
    values (gen_random_uuid(), 0, ${organizationId}, true, convert_to(${text}, 'utf8'))`
  await sql`insert into quickquote.delivery_hours values (${endpoint.id}, now(), 1, 0, 0, ${organizationId})`
  await sql`insert into quickquote.attempt_types values (${organizationId}, 'quotation.completed', now())`
  await sql`insert into quickquote.warnings (id, organization_id, kind, subject_id, since, stage, created_at)
    values (gen_random_uuid(), ${organizationId}, 'endpoint_failing', ${endpoint.id}, now(), 1, now())`
  await sql`insert into quickquote.feed_floors values (${organizationId}, 0)`
  await integrations.replays.start(admin, endpoint.id, { since: new Date(Date.now() - 1000).toISOString() })
  return ids
}

/** Waits until everything that `fill` created is delivered. */
export async function deliverAll(): Promise<void> {
  const worker = host.createWorker({ ca: certificate.cert })
  await worker.start()
  await expect.poll(() => host.pending()).toEqual([])
  await worker.stop()
}

/** All rows as text, by table. */
export async function rows(): Promise<Record<string, string[]>> {
  const tables = await host.sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'quickquote'::regnamespace
      and relkind = 'r' order by relname`
  const found = tables.map(async ({ name }) => {
    const all = await host.sql<{ row: string }[]>`
      select each::text as row from quickquote.${host.sql(name)} each order by 1`
    return [name, all.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

/** The rows that contain one of these, as text or as bytes. */
export async function rowsWith(texts: readonly string[]): Promise<Record<string, string[]>> {
  const wanted = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')])
  const kept = Object.entries(await rows()).map(([name, all]) => [
    name,
    all.filter((row) => wanted.some((text) => row.includes(text))),
  ])
  return Object.fromEntries(kept.filter(([, all]) => (all?.length ?? 0) > 0))
}

/** Everything that can be erased now. */
export async function eraseAll(): Promise<void> {
  while (await host.integrations.continueErasing()) {}
}

export const organizations = () => host.integrations.organizations

export const statusOf = async (organizationId = ORGANIZATION) =>
  (await organizations().erasure(organizationId))?.status

/** Transactions of others, such as PostgreSQL's autovacuum, may be open for a moment. */
export async function untilErased(organizationId = ORGANIZATION): Promise<void> {
  await expect
    .poll(async () => {
      await eraseAll()
      return statusOf(organizationId)
    })
    .toBe('erased')
}

/**
 * Erases an organization by processes that are killed, one in each of the calls (`removeRows 2`: the second of it), and
 * sees that nothing is left or counted twice.
 */
export async function eraseKilledIn(calls: readonly string[]): Promise<void> {
  await open()
  await fill(ORGANIZATION)
  const others = await fill(OTHER, 1)
  await deliverAll()
  const ofOthers = await rowsWith([...others, textOf(OTHER)])
  await organizations().erase(ORGANIZATION)
  const program = new URL('../programs/erasing-process.js', import.meta.url)
  for (const call of calls) {
    const child = spawn(process.execPath, [program.pathname, host.databaseUrl, ...call.split(' ')])
    const [, signal] = await once(child, 'exit')
    expect([call, signal]).toEqual([call, 'SIGKILL'])
  }
  await untilErased()
  expect(await organizations().erasure(ORGANIZATION)).toMatchObject({
    status: 'erased',
    removed: { quotations: 3, events: 15, delivery_attempts: 3, webhook_endpoints: 2, api_keys: 1 },
  })
  expect(await rowsWith([ORGANIZATION, textOf(ORGANIZATION)])).toEqual({})
  expect(await rowsWith([...others, textOf(OTHER)])).toEqual(ofOthers)
}
