import { randomUUID } from 'node:crypto'
import {
  ConfigurationError,
  defineEvents,
  type IntegrationServices,
  type Integrations,
} from '@quickquote/core'
import { Type } from '@quickquote/core/typebox'
import { adminOf } from '@quickquote/dev-servers/host'
import { openIntegrations } from '@quickquote/dev-servers/vitest'
import type postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostTransaction } from '../../src/index.ts'
import { mistakenFor } from './documented.ts'
import type { Host } from './hosts.ts'
import { sampleAuditEntry, sampleEndpoint, sampleQuotation, sampleSecrets } from './samples.ts'

export const BODY = { requirementsText: 'A shop' }
/** What plugins and formatters of clients may change. */
const NASTY = {
  ...BODY,
  name: '{"looks": "like JSON"}',
  description: '[1, 2]\n$1 :name ? \\ \' "',
  metadata: {
    snake_case: { inner_case: ['$1', ':x', '?', '\\', "'"] },
    'Größe 😀': '[]',
    n: 1.5,
    none: null,
  },
}
const EVENTS = defineEvents({
  'project.renamed': {
    description: 'A project has a new name.',
    data: Type.Object({}, { additionalProperties: true }),
    example: {},
  },
})
const SOON = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString()

/** Clients repeat messages when they wrap errors. */
export function expectEachTextOnce(error: unknown): void {
  const texts = String(error).match(/[A-Za-z_ ]{4,}/g) ?? []
  expect(texts).toEqual([...new Set(texts)])
}

/** Integrations for each test, on a database of its own. */
export function useTransactions() {
  let url: string
  let sql: postgres.Sql
  let integrations: Integrations<typeof EVENTS>

  beforeEach(async () => {
    const opened = await openIntegrations({ events: EVENTS })
    url = opened.databaseUrl
    sql = opened.sql
    integrations = opened.integrations
    await sql`create table notes_of_host (note text)`
  })

  /** A transaction of the host that writes its own row and reports a step. */
  async function reportWithNote(host: Host, quotationId: string, organizationId: string, fault?: Error) {
    await host.transaction(async (transaction, run) => {
      await run(`insert into notes_of_host values ('of the host')`)
      const within = integrations.within(transaction)
      await within.pipeline(quotationId).stepCompleted('requirement_analysis')
      await within.quotations.start({
        organizationId,
        source: 'ui',
        body: { requirementsText: 'Another quote', metadata: { crm: 1 } },
      })
      if (fault) throw fault
    })
  }

  async function recorded() {
    return {
      notes: (await sql`select * from notes_of_host`).length,
      events: (await sql`select type, quotation_id from quickquote.events`).map((row) => ({ ...row })),
      deliveries: (
        await sql`select d.endpoint_id, e.type from quickquote.deliveries d
          join quickquote.events e on e.id = d.event_id and e.created_at = d.event_created_at`
      ).map((row) => ({ ...row })),
      processed: (await sql`select processed_step from quickquote.quotations order by created_at`).map(
        (row) => row['processed_step'],
      ),
      starts: (await sql`select * from quickquote.pipeline_starts`).length,
    }
  }

  /** Promises within the transactions of every host. */
  function describeWithin(hosts: Record<string, (url: string) => Host | Promise<Host>>): void {
    describe.each(Object.entries(hosts))('within %s', (_, openHost) => {
      let host: Host

      beforeEach(async () => {
        host = await openHost(url)
      })

      afterEach(() => host.close())

      async function prepare() {
        const quotation = sampleQuotation()
        const endpoint = sampleEndpoint({
          organization_id: quotation.organization_id,
          events: ['quotation.requirement_analysis.completed'],
        })
        await integrations.storage.quotations.accept(quotation, null)
        await integrations.storage.webhookEndpoints.insert(endpoint, sampleSecrets(), 50)
        return { quotation, endpoint, before: await recorded() }
      }

      it('a rollback leaves nothing, and wakes nobody', async () => {
        const { quotation, before } = await prepare()
        const fault = new Error('the host changes its mind')

        await expect(reportWithNote(host, quotation.id, quotation.organization_id, fault)).rejects.toThrow(
          fault,
        )

        expect(await recorded()).toEqual(before)
      })

      it('a commit leaves exactly its events, their deliveries and its quote', async () => {
        const { quotation, endpoint } = await prepare()

        await reportWithNote(host, quotation.id, quotation.organization_id)

        const type = 'quotation.requirement_analysis.completed'
        expect(await recorded()).toEqual({
          notes: 1,
          events: [{ type, quotation_id: quotation.id }],
          deliveries: [{ type, endpoint_id: endpoint.id }],
          processed: ['requirement_analysis', 'none'],
          starts: 2,
        })
      })

      it('keys, endpoints and quotes are written and read, in the form that they have outside', async () => {
        const organizationId = randomUUID()
        const member = adminOf(organizationId)
        const read = async (
          { apiKeys, webhookEndpoints, quotations, auditLog }: IntegrationServices,
          id: string,
        ) => ({
          keys: await apiKeys.list(member),
          endpoints: await webhookEndpoints.list(member),
          quotation: await quotations.get(organizationId, id),
          entries: await auditLog.list(member),
        })

        const { id, key, inside } = await host.transaction(async (transaction) => {
          const within = integrations.within(transaction)
          const { key } = await within.apiKeys.create(member, { name: 'A key', expires_at: SOON })
          const endpoint = await within.webhookEndpoints.create(member, {
            name: 'CRM',
            url: 'https://receiver.example/hook',
            events: ['quotation.completed'],
            headers: { 'X-Tenant': 'acme' },
          })
          await within.webhookEndpoints.update(member, endpoint.id, { description: 'Two\nlines: "a", {b}' })
          const start = { organizationId, source: 'ui', body: NASTY, idempotencyKey: 'once' } as const
          const { quotation_id } = await within.quotations.start(start)
          await within.emit('project.renamed', { organizationId, data: NASTY.metadata })
          expect(await within.quotations.start(start)).toMatchObject({ quotation_id, repeated: true })
          return { id: quotation_id, key, inside: await read(within, quotation_id) }
        })

        expect(inside).toEqual(await read(integrations, id))
        expect(inside.quotation).toMatchObject({ name: NASTY.name, metadata: NASTY.metadata })
        expect(await integrations.apiKeys.authenticate(key.reveal())).toMatchObject({ organizationId })
        const [event] = await sql`select body from quickquote.events where type = 'project.renamed'`
        expect(JSON.parse(event?.['body'])).toMatchObject({ data: NASTY.metadata })
      })

      it('an error of the host, before or after ours, leaves nothing', async () => {
        const { quotation, before } = await prepare()
        const fault = new Error('the host gives up')
        const report = (transaction: HostTransaction) =>
          integrations.within(transaction).pipeline(quotation.id).stepCompleted('requirement_analysis')
        const errors: unknown[] = []
        const first = host.transaction(async (transaction, run) => {
          await Promise.resolve(run('select 1 / 0')).catch(() => undefined)
          errors.push(await report(transaction).catch((error) => error))
          throw fault
        })
        await expect(first).rejects.toThrow()
        const last = host.transaction(async (transaction, run) => {
          await report(transaction)
          await run('select 1 / 0')
        })
        await expect(last).rejects.toThrow()

        expect(errors).toMatchObject([{ name: 'StorageError', code: '25P02' }])
        expectEachTextOnce(errors[0])
        expect(await recorded()).toEqual(before)
      })

      it('a savepoint that is rolled back takes its own part back', async () => {
        const { quotation } = await prepare()
        const fault = new Error('the host changes its mind about a part')

        await host.transaction(async (transaction, _, savepoint) => {
          await integrations.within(transaction).pipeline(quotation.id).stepCompleted('requirement_analysis')
          const undone = savepoint(async (inner) => {
            const { pipeline, quotations } = integrations.within(inner)
            await pipeline(quotation.id).stepCompleted('functional_specification')
            await quotations.start({ organizationId: quotation.organization_id, source: 'ui', body: BODY })
            throw fault
          })
          await expect(undone).rejects.toThrow(fault)
        })

        const { events, processed, starts } = await recorded()
        expect(events.map(({ type }) => type)).toEqual(['quotation.requirement_analysis.completed'])
        expect([processed, starts]).toEqual([['requirement_analysis'], 1])
      })

      it('an organization that is being erased is refused as such', async () => {
        const { quotation } = await prepare()
        const organizationId = quotation.organization_id
        const entry = sampleAuditEntry({ organization_id: organizationId })
        await integrations.storage.erasure.begin(organizationId, {
          keepAuditLog: false,
          entry,
          now: new Date(),
        })

        const start = host.transaction((transaction) =>
          integrations.within(transaction).quotations.start({ organizationId, source: 'ui', body: BODY }),
        )

        await expect(start).rejects.toMatchObject({ code: 'ORGANIZATION_ERASED' })
      })

      it('a connection that is lost between two statements is a StorageError to retry, without our statement', async ({
        skip,
      }) => {
        skip(host.waitsWhenLost !== undefined, host.waitsWhenLost)
        const { quotation, before } = await prepare()
        const errors: unknown[] = []
        // Some clients end the transaction before its work.
        await new Promise<void>((resolve) => {
          void host
            .transaction(async (transaction, run) => {
              await run(`insert into notes_of_host values ('of the host')`)
              await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
                where datname = current_database() and state = 'idle in transaction'`
              const { stepCompleted } = integrations.within(transaction).pipeline(quotation.id)
              // A client may notice it with the first statement.
              for (let tries = 0; tries < 2; tries += 1) {
                errors.push(await stepCompleted('requirement_analysis').catch((error: unknown) => error))
              }
              resolve()
            })
            .catch(() => undefined)
        })
        expect(errors).toEqual(
          Array(2).fill(expect.objectContaining({ name: 'StorageError', statusCode: 503, isOutage: true })),
        )
        for (const error of errors) expect(String(error)).not.toMatch(/select|lock table/)
        for (const error of errors) expectEachTextOnce(error)
        expect(await recorded()).toEqual(before)
      })

      it('a read-only transaction is the mistake of its host', async () => {
        const { quotation } = await prepare()
        const error = await host
          .transaction(async (transaction, run) => {
            await run('set transaction read only')
            await integrations
              .within(transaction)
              .pipeline(quotation.id)
              .stepCompleted('requirement_analysis')
          })
          .catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ name: 'StorageError', code: '25006', statusCode: 500, isOutage: false })
        expect(String(error)).toContain('Begin your transaction without `read only`')
        expectEachTextOnce(error)
      })

      it('its own transaction instead of the adapter is refused, with the line to write', async () => {
        await host.transaction(async (transaction) => {
          const mistaken = mistakenFor(transaction)
          if (mistaken === undefined) return
          expect(() => integrations.within(mistaken.given)).toThrow(ConfigurationError)
          expect(() => integrations.within(mistaken.given)).toThrow(mistaken.hint)
        })
      })

      it('its adapter outside a transaction is refused, before anything is written', async () => {
        const { quotation, before } = await prepare()
        const { outside } = host
        if (outside === undefined) return
        const member = adminOf(quotation.organization_id)

        const { pipeline, quotations, apiKeys } = integrations.within(outside)
        const calls = [
          () => pipeline(quotation.id).stepCompleted('requirement_analysis'),
          () => quotations.start({ organizationId: quotation.organization_id, source: 'ui', body: BODY }),
          () => apiKeys.create(member, { name: 'A key', expires_at: SOON }),
        ]
        for (const call of calls) {
          await expect(call()).rejects.toThrow(ConfigurationError)
          await expect(call()).rejects.toThrow('outside a transaction')
        }

        expect(await recorded()).toEqual(before)
        expect(await integrations.apiKeys.list(member)).toMatchObject({ items: [] })
      })

      it('a commit wakes the workers, a rollback does not', async () => {
        const { quotation } = await prepare()
        // Closing the storage first sends the notifications of the preparation.
        await integrations.close()
        const heard: string[] = []
        let onNotice = () => {}
        const listener = await sql.listen('quickquote_wake', () => {
          heard.push('wake')
          onNotice()
        })
        const woken = new Promise<void>((resolve) => {
          onNotice = resolve
        })
        const fault = new Error('the host changes its mind')
        await reportWithNote(host, quotation.id, quotation.organization_id, fault).catch(() => undefined)
        await sql`select pg_notify('quickquote_wake', '')`
        await woken
        expect(heard).toHaveLength(1)

        const wokenAgain = new Promise<void>((resolve) => {
          onNotice = resolve
        })
        await reportWithNote(host, quotation.id, quotation.organization_id)
        await wokenAgain
        await listener.unlisten()
      })
    })
  }

  return {
    get url() {
      return url
    },
    get sql() {
      return sql
    },
    get integrations() {
      return integrations
    },
    recorded,
    describeWithin,
  }
}
