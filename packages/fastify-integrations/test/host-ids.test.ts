import type { Member, Session } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { ACME, NOWHERE, openHost, useDatabase, useHost, YEAR_AHEAD } from './support/host.ts'

const context = useHost()
const database = useDatabase()

const HOW_TO_MAP = expect.stringContaining('convert other IDs to one, for example with v5(')
const memberOf = (organizationId: string, memberId = 'm'): Member => ({
  organizationId,
  memberId,
  permissions: new Set(['manage_integrations']),
})

/** Every service call that takes an organization or a member. */
function calls(organizationId: string): Record<string, () => Promise<unknown>> {
  const { integrations } = context.host
  const { apiKeys, webhookEndpoints, deliveryLog, replays, auditLog, quotations } = integrations
  const member = memberOf(organizationId)
  const body = { requirementsText: 'A portal.' }
  const endpoint = { name: 'CRM', url: 'https://crm.example.com/', events: ['quotation.completed'] }
  async function* bytes() {
    yield Buffer.from('text')
  }
  return {
    'apiKeys.create': () => apiKeys.create(member, { name: 'CRM', expires_at: YEAR_AHEAD }),
    'apiKeys.list': () => apiKeys.list(member),
    'apiKeys.get': () => apiKeys.get(member, NOWHERE),
    'apiKeys.update': () => apiKeys.update(member, NOWHERE, { name: 'CRM' }),
    'apiKeys.roll': () => apiKeys.roll(member, NOWHERE, { expires_at: YEAR_AHEAD }),
    'apiKeys.activate': () => apiKeys.activate(member, NOWHERE),
    'apiKeys.deactivate': () => apiKeys.deactivate(member, NOWHERE),
    'apiKeys.revoke': () => apiKeys.revoke(member, NOWHERE),
    'webhookEndpoints.eventCatalog': async () => webhookEndpoints.eventCatalog(member),
    'webhookEndpoints.list': () => webhookEndpoints.list(member),
    'webhookEndpoints.get': () => webhookEndpoints.get(member, NOWHERE),
    'webhookEndpoints.create': () => webhookEndpoints.create(member, endpoint),
    'webhookEndpoints.update': () => webhookEndpoints.update(member, NOWHERE, { name: 'CRM' }),
    'webhookEndpoints.delete': () => webhookEndpoints.delete(member, NOWHERE),
    'webhookEndpoints.rotateSecret': () => webhookEndpoints.rotateSecret(member, NOWHERE),
    'deliveryLog.list': () => deliveryLog.list(member),
    'deliveryLog.get': () => deliveryLog.get(member, NOWHERE),
    'deliveryLog.resend': () => deliveryLog.resend(member, NOWHERE),
    'replays.start': () => replays.start(member, NOWHERE, { since: new Date(0).toISOString() }),
    'replays.get': () => replays.get(member, NOWHERE, NOWHERE),
    'auditLog.list': () => auditLog.list(member),
    'testDeliveries.send': () =>
      integrations.testDeliveries.send(member, NOWHERE, { event_type: 'quotation.completed' }),
    'quotations.start': () => quotations.start({ organizationId, source: 'ui', body }),
    'quotations.get': () => quotations.get(organizationId, NOWHERE),
    'quotations.pipelineStatus': () => quotations.pipelineStatus(organizationId, NOWHERE),
    'quotations.proposal': () => quotations.proposal(organizationId, NOWHERE),
    'quotations.documentUrl': () => quotations.documentUrl(organizationId, NOWHERE),
    'requirementsFiles.receive': () =>
      integrations.requirementsFiles.receive({ organizationId, index: 0, name: 'a.txt', bytes: bytes() }),
    emit: () =>
      (integrations.emit as (type: string, event: object) => Promise<string>)('project.created', {
        organizationId,
        data: {},
      }),
  }
}

describe('an organization id that is not a uuid', () => {
  it.each(['org_2abc', '', '17', `{${ACME}}`, `urn:uuid:${ACME}`, `${ACME}\0`])(
    '%j is refused by every call, which says how to convert it',
    async (id) => {
      for (const [name, call] of Object.entries(calls(id))) {
        const refusal = await call().then(
          () => 'accepted',
          (error: unknown) => error,
        )
        expect([name, refusal]).toEqual([
          name,
          expect.objectContaining({
            code: 'VALIDATION_FAILED',
            errors: [
              { pointer: name === 'emit' ? '/organization_id' : '/organizationId', detail: HOW_TO_MAP },
            ],
          }),
        ])
      }
    },
  )

  it('in a session is answered with 500, and the log says how to convert it', async () => {
    const session: Session = { memberId: 'm', organizations: [{ id: 'org_2abc', role: 'admin' }] }
    const host = await openHost({
      databaseUrl: database.url,
      plugin: { resolveSession: () => session },
    })
    const { status, body } = await host.call('GET', `/v1/organizations/${ACME}/api-keys`)
    expect([status, body['code']]).toEqual([500, 'INTERNAL_ERROR'])
    expect(host.logs.join('')).toContain('convert other IDs to one, for example with v5(')
  })
})

describe('a member id', () => {
  it('is any text of up to 128 characters', async () => {
    const memberId = `${'😀'.repeat(126)}/\n`
    const host = await openHost({
      databaseUrl: database.url,
      plugin: {
        resolveSession: () => ({ memberId, organizations: [{ id: ACME.toUpperCase(), role: 'admin' }] }),
      },
    })
    const keys = `/v1/organizations/${ACME}/api-keys`
    const { status, body } = await host.call('POST', keys, {
      json: { name: 'CRM', expires_at: YEAR_AHEAD },
    })
    expect([status, body['owner_id']]).toEqual([201, memberId])
    expect((await host.call('GET', keys)).body).toMatchObject([{ owner_id: memberId }])
  })

  it.each(['', 'x'.repeat(129), 'a\0b', 'a\ud800'])('is not %j', async (memberId) => {
    await expect(context.host.integrations.apiKeys.list(memberOf(ACME, memberId))).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ pointer: '/memberId' }],
    })
  })
})
