import { randomUUID } from 'node:crypto'
import { type Integrations, type Member, memberOf } from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { ACME, useHost, YEAR_AHEAD } from './support/host.ts'

const context = useHost()
const session = (role: string) => ({ memberId: role, organizations: [{ id: ACME, role }] })
const [ADMIN, MEMBER] = [memberOf(session('admin'), ACME), memberOf(session('member'), ACME)]
const VIEWER: Member = { ...MEMBER, permissions: new Set(['view_integrations']) }
const READS = ['eventCatalog', 'list', 'summary', 'get', 'hours', 'statistics', 'count']
const ID = randomUUID()

type Call = (member: Member, endpointId: string) => unknown
type Services = Pick<
  Integrations,
  'webhookEndpoints' | 'deliveryLog' | 'testDeliveries' | 'replays' | 'auditLog'
>

/** Every method that requires a permission: a new one does not compile until it is listed here. */
function callsOf({ webhookEndpoints, deliveryLog, testDeliveries, replays, auditLog }: Services): {
  [Service in keyof Services]: Record<keyof Services[Service], Call>
} {
  const event_type = 'quotation.completed'
  return {
    webhookEndpoints: {
      eventCatalog: (member) => webhookEndpoints.eventCatalog(member),
      list: (member) => webhookEndpoints.list(member),
      summary: (member) => webhookEndpoints.summary(member),
      get: (member, id) => webhookEndpoints.get(member, id),
      create: (member) =>
        webhookEndpoints.create(member, { name: 'x', url: 'https://crm.example.com', events: [event_type] }),
      update: (member, id) => webhookEndpoints.update(member, id, { name: 'changed' }),
      delete: (member, id) => webhookEndpoints.delete(member, id),
      rotateSecret: (member, id) => webhookEndpoints.rotateSecret(member, id),
    },
    deliveryLog: {
      list: (member) => deliveryLog.list(member),
      hours: (member) => deliveryLog.hours(member),
      statistics: (member, id) => deliveryLog.statistics(member, id),
      get: (member) => deliveryLog.get(member, ID),
      resend: (member) => deliveryLog.resend(member, ID),
    },
    testDeliveries: {
      send: (member, id) => testDeliveries.send(member, id, { event_type }),
      check: (member, id) => testDeliveries.check(member, id),
    },
    replays: {
      start: (member, id) => replays.start(member, id, { since: YEAR_AHEAD }),
      count: (member, id) => replays.count(member, id, { since: YEAR_AHEAD }),
      get: (member, id) => replays.get(member, id, ID),
      list: (member, id) => replays.list(member, id),
      stop: (member, id) => replays.stop(member, id, ID),
    },
    auditLog: { list: (member) => auditLog.list(member) },
  }
}

describe('a member without the permission', () => {
  it.each([
    ['none', MEMBER, [] as string[]],
    ['view_integrations', VIEWER, READS],
  ])(
    'is refused by every method: with %s, because the routes are not the only check',
    async (_name, member, allowed) => {
      const { integrations } = context.host
      const endpoint = { name: 'CRM', url: 'https://crm.example.com', events: ['quotation.completed'] }
      const { id, secret: _, ...before } = await integrations.webhookEndpoints.create(ADMIN, endpoint)
      const letThrough: Record<string, unknown> = {}
      for (const [service, calls] of Object.entries(callsOf(integrations))) {
        for (const [name, call] of Object.entries(calls)) {
          const answer = await Promise.resolve()
            .then(() => call(member, id))
            .catch((error: { code?: string }) => error.code)
          if (!allowed.includes(name) && answer !== 'PERMISSION_REQUIRED')
            letThrough[`${service}.${name}`] = answer
        }
      }
      expect(letThrough).toEqual({})
      expect(await integrations.webhookEndpoints.get(ADMIN, id)).toEqual({ id, ...before })
      expect((await integrations.auditLog.list(ADMIN, { resource_id: id })).items).toMatchObject([
        { action: 'webhook_endpoint.created' },
      ])
    },
  )
})
