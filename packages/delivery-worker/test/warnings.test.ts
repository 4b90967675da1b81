import { randomUUID } from 'node:crypto'
import {
  type ApiKeyExpiringWarning,
  type DeliveriesExhaustedWarning,
  type EndpointFailingWarning,
  memberOf,
} from '@quickquote/core'
import { describe, expect, it } from 'vitest'
import { type Host, type HostOptions, NO_WAITING, ORGANIZATION, openHost } from './support/host.ts'

const MINUTE_MS = 60 * 1000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** No server listens there. */
const NOBODY = 'https://127.0.0.1:1/'

let host: Host
let laterMs = 0
const failing: EndpointFailingWarning[] = []
const exhausted: DeliveriesExhaustedWarning[] = []
const expiring: ApiKeyExpiringWarning[] = []

/** A host with an adjustable clock, whose hooks record their calls. */
async function open(options: HostOptions = {}) {
  laterMs = 0
  for (const warnings of [failing, exhausted, expiring]) warnings.length = 0
  host = await openHost({
    now: () => new Date(Date.now() + laterMs),
    onEndpointFailing: (warning) => void failing.push(warning),
    onDeliveriesExhausted: (warning) => void exhausted.push(warning),
    onApiKeyExpiring: (warning) => void expiring.push(warning),
    delivery: { ...NO_WAITING, maxAttempts: 1 },
    ...options,
  })
}

/** An endpoint whose deliveries have all failed for that long. */
async function failFor(ms: number) {
  const endpoint = await host.createEndpoint(NOBODY)
  const since = new Date(Date.now() - ms)
  await host.sql`insert into quickquote.endpoint_health (endpoint_id, failing_since) values (${endpoint.id}, ${since})`
  return { ...endpoint, since }
}

const warn = () => host.integrations.sendWarnings()
const warnings = () => host.logs.filter(({ fields }) => 'warning_id' in fields)
const member = memberOf({ memberId: 'ada', organizations: [{ id: ORGANIZATION }] }, ORGANIZATION)
const createKey = (days: number) =>
  host.integrations.apiKeys.create(member, {
    name: 'CRM',
    expires_at: new Date(Date.now() + laterMs + days * DAY_MS).toISOString(),
  })

describe('an endpoint whose deliveries all fail', () => {
  it('is reported once after six hours and once a day before it is disabled, however many workers look', async () => {
    await open()
    const { id, since } = await failFor(6 * HOUR_MS - MINUTE_MS)
    const changed = new Date(since.getTime() - 240_000)
    await host.sql`insert into quickquote.audit_log
      (id, organization_id, actor_id, action, resource_type, resource_id, resource_name, changes, created_at)
      values (gen_random_uuid(), ${ORGANIZATION}, 'ada', 'webhook_endpoint.updated', 'webhook_endpoint', ${id}, 'x', '[]', ${changed})`
    expect(await warn()).toBe(0)

    laterMs = 2 * MINUTE_MS
    await Promise.all([warn(), warn(), warn(), warn()])
    const first = {
      id: expect.any(String),
      endpoint: { id, organization_id: ORGANIZATION, name: 'receiver' },
      failingSince: since,
      disablesAt: new Date(since.getTime() + 5 * DAY_MS),
      changedBefore: { action: 'webhook_endpoint.updated', actor_id: 'ada', at: changed },
    }
    expect(failing).toEqual([first])

    laterMs = 4 * DAY_MS - 6 * HOUR_MS
    expect(await warn()).toBe(0)
    laterMs += 2 * MINUTE_MS
    await Promise.all([warn(), warn(), warn(), warn()])
    expect(failing).toEqual([first, first])
    expect(failing[0]?.id).not.toBe(failing[1]?.id)
    expect(await warn()).toBe(0)
    expect(warnings().map(({ level, fields }) => [level, fields['endpoint_id']])).toEqual([
      ['warn', id],
      ['warn', id],
    ])
  })

  it('is reported by a worker', async () => {
    await open()
    const { id } = await failFor(6 * HOUR_MS + MINUTE_MS)
    await host.createWorker().start()
    await expect.poll(() => failing.map(({ endpoint }) => endpoint.id)).toEqual([id])
  })

  it('is reported once if both warnings are overdue, and again if it fails again', async () => {
    await open()
    const { id } = await failFor(4 * DAY_MS + HOUR_MS)
    await warn()
    expect(failing).toHaveLength(1)
    await host.sql`update quickquote.endpoint_health set failing_since = now() - interval '7 hours'
      where endpoint_id = ${id}`
    await warn()
    expect(failing).toHaveLength(2)
  })

  it('is not reported with warnAfterMs: 0, and without the time of disabling with disableAfterMs: 0', async () => {
    await open({ delivery: { warnAfterMs: 0 } })
    await failFor(4 * DAY_MS + HOUR_MS)
    expect(await warn()).toBe(0)
    await host.close()

    await open({ delivery: { disableAfterMs: 0 } })
    await failFor(4 * DAY_MS + HOUR_MS)
    expect(await warn()).toBe(1)
    expect(failing).toMatchObject([{ disablesAt: null }])
  })
})

describe('exhausted deliveries', () => {
  const pendingIsEmpty = () => expect.poll(() => host.pending(), { timeout: 60_000 }).toEqual([])

  it('are reported once per endpoint and hour, with their number', async () => {
    await open()
    const [one, other] = [await host.createEndpoint(NOBODY), await host.createEndpoint(NOBODY)]
    await host.createWorker().start()
    for (let quotes = 0; quotes < 3; quotes += 1) await host.finishStep()
    await pendingIsEmpty()
    expect(exhausted).toEqual([])

    laterMs = HOUR_MS + MINUTE_MS
    await Promise.all([warn(), warn(), warn()])
    await expect.poll(() => exhausted.length).toBe(2)
    expect(exhausted.map(({ endpoint, count }) => ({ id: endpoint.id, count }))).toEqual(
      expect.arrayContaining([
        { id: one.id, count: 3 },
        { id: other.id, count: 3 },
      ]),
    )
    for (const { since, until } of exhausted) expect(since <= until).toBe(true)

    await host.finishStep()
    await pendingIsEmpty()
    laterMs += HOUR_MS + MINUTE_MS
    await warn()
    await expect.poll(() => exhausted.length).toBe(4)
    expect(exhausted.slice(2).map(({ count }) => count)).toEqual([1, 1])
    expect(new Set(exhausted.map(({ id }) => id)).size).toBe(4)
  })

  it('are reported if a worker died in the last attempt, but not for a test', async () => {
    await open()
    const { id } = await host.createEndpoint(NOBODY)
    await host.finishStep()
    await host.finishStep()
    await host.sql`update quickquote.deliveries set attempt = 1, leased_by = ${randomUUID()}, leased_at = now()`
    await host.sql`update quickquote.deliveries set is_test = true
      where id = (select id from quickquote.deliveries limit 1)`
    await host.integrations.storage.workers.recoverDead({
      silentForMs: 1000,
      maxAttempts: 1,
      now: new Date(),
    })
    laterMs = HOUR_MS + MINUTE_MS
    await warn()
    expect(exhausted.map(({ endpoint, count }) => ({ id: endpoint.id, count }))).toEqual([{ id, count: 1 }])
  })
})

describe('an API key that expires', () => {
  it('is reported 30 days, 7 days and 1 day before, each once', async () => {
    await open()
    const { id, masked_key, expires_at } = await createKey(40)
    const steps: [days: number, told: number[]][] = [
      [9, []],
      [11, [30]],
      [32, [30]],
      [34, [30, 7]],
      [39.5, [30, 7, 1]],
      [41, [30, 7, 1]],
    ]
    for (const [days, told] of steps) {
      // A worker checks every minute; here a minute after the time.
      for (const at of [10, 33, 39]) {
        if (at > days || laterMs >= at * DAY_MS) continue
        laterMs = at * DAY_MS + MINUTE_MS
        await Promise.all([warn(), warn(), warn()])
      }
      laterMs = days * DAY_MS
      await Promise.all([warn(), warn()])
      expect(expiring.map(({ daysLeft }) => daysLeft)).toEqual(told)
    }
    expect(expiring[0]).toEqual({
      id: expect.any(String),
      apiKey: {
        id,
        organization_id: ORGANIZATION,
        owner_id: 'ada',
        name: 'CRM',
        masked_key,
        replaced_by: null,
      },
      expiresAt: expires_at,
      daysLeft: 30,
    })
    expect(JSON.stringify(warnings())).not.toContain('CRM')
  })

  it('is not reported if it was created for less than 30 days, is inactive or revoked', async () => {
    await open()
    await createKey(20)
    const [inactive, revoked] = [await createKey(31), await createKey(31)]
    await host.integrations.apiKeys.deactivate(member, inactive.id)
    await host.integrations.apiKeys.revoke(member, revoked.id)
    laterMs = 2 * DAY_MS
    expect(await warn()).toBe(0)
    laterMs = 14 * DAY_MS
    expect(await warn()).toBe(1)
    expect(expiring.map(({ daysLeft }) => daysLeft)).toEqual([6])
  })
})

describe('a failing hook', () => {
  it('is called again with the same id for about a day, and then no more', async () => {
    const ids: string[] = []
    await open({
      onEndpointFailing({ id }) {
        ids.push(id)
        throw new Error('the mail server is down')
      },
    })
    await failFor(7 * HOUR_MS)
    await warn()
    await warn()
    expect(ids).toHaveLength(1)
    laterMs = MINUTE_MS + 1000
    await warn()
    expect(ids).toHaveLength(2)
    for (let hours = 1; hours <= 40; hours += 1) {
      laterMs = hours * HOUR_MS + hours * MINUTE_MS
      await warn()
    }
    expect(new Set(ids).size).toBe(1)
    expect(ids).toHaveLength(29)
    expect(warnings().filter(({ level }) => level === 'warn')).toHaveLength(1)
    expect(warnings().filter(({ level }) => level === 'error')).toHaveLength(29)
  })

  it('or a hanging one blocks nothing, and is called again', async () => {
    const calls: string[] = []
    await open({
      hookTimeoutMs: 50,
      onEndpointFailing({ endpoint }) {
        calls.push(endpoint.id)
        return calls.length === 1 ? new Promise(() => {}) : undefined
      },
    })
    const endpoints = [await failFor(8 * HOUR_MS), await failFor(7 * HOUR_MS)].map(({ id }) => id)
    expect(await warn()).toBe(1)
    expect([...calls].sort()).toEqual(endpoints.sort())
    laterMs = 2 * MINUTE_MS
    expect(await warn()).toBe(1)
    expect(calls.slice(2)).toEqual(calls.slice(0, 1))
  })

  it('is called again if the process died before recording the call', async () => {
    await open()
    const { id } = await failFor(7 * HOUR_MS)
    const now = new Date()
    const { storage } = host.integrations
    await storage.warnings.noteFailingEndpoints({ failingSince: now, stage: 1, now })
    const leaseUntil = new Date(now.getTime() + MINUTE_MS)
    const [lost] = await storage.warnings.claim({ limit: 1, now, leaseUntil })
    expect(await warn()).toBe(0)
    laterMs = 2 * MINUTE_MS
    expect(await warn()).toBe(1)
    expect(failing.map((warning) => [warning.id, warning.endpoint.id])).toEqual([[lost?.id, id]])
    // The process was not dead after all: its result is too late.
    await storage.warnings.recordCall({ id: lost?.id ?? '', attempt: 1, retryAt: now })
    expect(await warn()).toBe(0)
  })

  it('is not called again if the endpoint has recovered, or the key was revoked', async () => {
    const fail = () => {
      throw new Error('no')
    }
    await open({ onEndpointFailing: fail, onApiKeyExpiring: fail })
    const { id } = await failFor(7 * HOUR_MS)
    const key = await createKey(31)
    laterMs = 2 * DAY_MS
    await warn()
    expect(warnings().filter(({ level }) => level === 'error')).toHaveLength(2)
    await host.sql`update quickquote.endpoint_health set failing_since = null where endpoint_id = ${id}`
    await host.integrations.apiKeys.revoke(member, key.id)
    laterMs += HOUR_MS
    await warn()
    expect(warnings().filter(({ level }) => level === 'error')).toHaveLength(2)
  })
})

it('warnings are removed after two months, but not while their cause lasts', async () => {
  await open({ delivery: { disableAfterMs: 0 } })
  const { id } = await failFor(7 * HOUR_MS)
  await createKey(31)
  laterMs = 2 * DAY_MS
  await warn()
  laterMs = 63 * DAY_MS
  await warn()
  const left = await host.sql`select subject_id from quickquote.warnings`
  expect([...left]).toEqual([{ subject_id: id }])
  expect([failing.length, expiring.length]).toEqual([1, 1])
})
