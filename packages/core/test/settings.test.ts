import {
  createIntegrations,
  DEFAULT_DELIVERY_POLICY,
  DEFAULT_LEASE_POLICY,
  DEFAULT_LIMITS,
  DEFAULT_RETENTION,
  DEFAULT_START_POLICY,
  type IntegrationsOptions,
} from '@quickquote/core'
import { hostOptions, NOWHERE } from '@quickquote/dev-servers/host'
import { refusalOf, untriedOptions } from '@quickquote/dev-servers/refusals'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { describe, expect, it } from 'vitest'

const { pipeline, encryptionKeys } = hostOptions
const storage = drizzleStorage({ connectionString: NOWHERE })
const options: IntegrationsOptions = { storage, pipeline, encryptionKeys }
const DAY_MS = 24 * 60 * 60 * 1000
const SECRET = Buffer.alloc(32, 2).toString('base64')

const create = (wrong: object) => createIntegrations({ ...options, ...wrong } as IntegrationsOptions)

const WRONG: [string, object, RegExp][] = [
  ['no storage', { storage: undefined }, /storage is missing: pass drizzleStorage/],
  ['a connection string for a storage', { storage: 'postgres://u:p@h/d' }, /storage is missing/],
  [
    'a connection string among other storages',
    { otherStorages: ['postgres://u:p@h/d'] },
    /otherStorages must/,
  ],
  ['no pipeline', { pipeline: undefined }, /pipeline needs two functions/],
  ['a pipeline without signDocumentUrl', { pipeline: { start: async () => {} } }, /signDocumentUrl/],
  [
    'a status that is not a function',
    { pipeline: { ...pipeline, status: 'ok' } },
    /pipeline\.status must be a/,
  ],
  [
    'steps without a proposal',
    { pipeline: { ...pipeline, steps: ['work_breakdown'] } },
    /pipeline\.steps must/,
  ],
  [
    'steps in another order',
    { pipeline: { ...pipeline, steps: ['work_breakdown', 'requirement_analysis', 'proposal'] } },
    /pipeline\.steps must list some of requirement_analysis, .*, in this order, ending with proposal/,
  ],
  ['an unknown step', { pipeline: { ...pipeline, steps: ['design', 'proposal'] } }, /pipeline\.steps must/],
  ['a list of events', { events: ['project.created'] }, /events must be the result of defineEvents/],
  ['an event that is not a definition', { events: { 'project.created': 5 } }, /events\['project\.created'\]/],
  ['quotations without methods', { quotations: {} }, /quotations lacks the methods transaction, insert/],
  ['no quotations', { quotations: null }, /quotations lacks the methods transaction, insert/],
  ['files without get', { files: { put() {}, delete() {} } }, /files needs three functions: put/],
  [
    'no encryption key',
    { encryptionKeys: [] },
    /encryptionKeys must be a list of at least one key.*randomBytes\(32\)/,
  ],
  [
    'no encryption keys at all',
    { encryptionKeys: undefined },
    /encryptionKeys must be a list of at least one key/,
  ],
  [
    'an encryption key outside a list',
    { encryptionKeys: SECRET },
    /encryptionKeys must be a list of at least one key/,
  ],
  ['an encryption key without an id', { encryptionKeys: [SECRET] }, /encryptionKeys\[0\] needs a unique id/],
  [
    'an encryption key that is too short',
    { encryptionKeys: [{ id: 'k', key: 'short' }] },
    /\[0\]\.key must be 32/,
  ],
  ['an id instead of the key', { encryptionKeys: [{ id: SECRET, key: 'k' }] }, /\[0\]\.key must be 32/],
  ['a number for a key', { encryptionKeys: [{ id: 'k', key: 32 }] }, /\[0\]\.key must be 32/],
  [
    'two keys with one id',
    { encryptionKeys: [...encryptionKeys, ...encryptionKeys] },
    /encryptionKeys\[1\] needs a unique id/,
  ],
  ['a product name that is not valid in a header', { productName: 'Ac me' }, /header names/],
  [
    'a word for recordAddresses',
    { apiKeys: { recordAddresses: 'no' } },
    /apiKeys.recordAddresses must be true or false/,
  ],
  ['a word for viewersSeeBodies', { viewersSeeBodies: 'no' }, /viewersSeeBodies must be true or false/],
  ['null for a product name', { productName: null }, /productName becomes/],
  ['limits that are a number', { limits: 5 }, /limits must be an object with: enabled, requestsPerMinute/],
  ['text for a switch', { limits: { enabled: 'off' } }, /limits\.enabled must be true or false/],
  [
    'a lease that one late heartbeat would end',
    { lease: { heartbeatMs: 8000 } },
    /lease\.deadAfterMs must be at least twice heartbeatMs/,
  ],
  ['a delivery policy that is a list', { delivery: [] }, /delivery must be an object with: maxAttempts/],
  ['null for the start policy', { start: null }, /start must be an object with: maxAttempts/],
  ['a single address', { allowAddresses: '10.0.0.0/8' }, /allowAddresses must be a list of CIDRs/],
  ['a number for an address', { allowAddresses: [10] }, /allowAddresses must be a list/],
  [
    'a proxy without a scheme',
    { egress: { proxy: 'proxy:3128' } },
    /egress\.proxy must be a URL that begins with http:/,
  ],
  [
    'a proxy that is not an HTTP proxy',
    { egress: { proxy: 'socks5://proxy:1080' } },
    /egress\.proxy must be a URL that begins/,
  ],
  [
    'a proxy with a path',
    { egress: { proxy: 'http://proxy:3128/way' } },
    /egress\.proxy must be a URL without a path/,
  ],
  [
    'a resolving proxy without a proxy',
    { egress: { proxyResolves: true } },
    /egress\.proxyResolves needs a proxy/,
  ],
  [
    'a source that is a name',
    { egress: { sourceAddresses: ['out.example'] } },
    /egress\.sourceAddresses must be a list/,
  ],
  ['a certificate that is a number', { egress: { ca: 5 } }, /egress\.ca must be certificates in PEM/],
  ['the path of a certificate', { egress: { ca: '/etc/ssl/ca.pem' } }, /egress\.ca must be .*, not a path/],
  ['a resolver that is a list', { egress: { resolve: ['1.2.3.4'] } }, /egress\.resolve must be a function/],
  [
    'a misspelled option of egress',
    { egress: { proxi: 'http://proxy' } },
    /egress\.proxi is not an option\. Did you mean proxy\?/,
  ],
  ['a CIDR with host bits', { allowAddresses: ['10.0.0.1/8'] }, /allowAddresses\[0\] must be a CIDR/],
  ['a URL for a hook', { onEndpointDisabled: 'https://x' }, /onEndpointDisabled must be a function/],
  ['a URL for another hook', { onEndpointFailing: 'https://x' }, /onEndpointFailing must be a function/],
  ['null for a hook', { onDeliveriesExhausted: null }, /onDeliveriesExhausted must be a function/],
  ['a list of hooks', { onApiKeyExpiring: [] }, /onApiKeyExpiring must be a function/],
  ['a hook without a timeout', { hookTimeoutMs: Number.POSITIVE_INFINITY }, /hookTimeoutMs must be a whole/],
  [
    'a hook timeout too long for a timer',
    { hookTimeoutMs: 2 ** 31 },
    /hookTimeoutMs must be .* to 2147483647/,
  ],
  ['true for a logger', { logger: true }, /logger must have the functions debug, info, warn and error/],
  ['a logger without levels', { logger: { log() {} } }, /logger must have the functions/],
  ['a time for a clock', { now: Date.now() }, /now must be a function/],
  ['a clock that returns numbers', { now: Date.now }, /now must be a function that returns a valid Date/],
  [
    'a misspelled option',
    { limit: { files: 1 } },
    /limit is not an option\. Did you mean limits\? Options: /,
  ],
  ['an option of something else', { resolveSession() {} }, /resolveSession is not an option\. Options: /],
  ['a misspelled limit', { limits: { filez: 1 } }, /limits\.filez is not an option\. Did you mean files\?/],
  [
    'waits that grow forever',
    { delivery: { maxAttempts: 40 } },
    /delivery\.backoffMs would grow to more than a year/,
  ],
  [
    'events removed before they are given up',
    { retention: { eventDays: 5 } },
    /eventDays must be .* from 6 to 366/,
  ],
  ['too many days for claims', { retention: { eventDays: 367 } }, /eventDays must be .* from 6 to 366/],
  [
    'events removed before long retries end',
    { delivery: { maxRetryAfterMs: 30 * DAY_MS }, retention: { eventDays: 211 } },
    /eventDays must be .* from 212 to 366/,
  ],
  [
    'retries for longer than events can be kept',
    { delivery: { maxRetryAfterMs: 60 * DAY_MS } },
    /must be kept for 422 days, but the limit is 366/,
  ],
  ['starts postponed forever', { start: { maxAttempts: 40 } }, /start\.backoffMs would grow/],
]

describe('createIntegrations', () => {
  it('completes the options with the defaults of the specification', () => {
    const { settings } = create({ limits: { files: 3 } })
    expect(settings.limits).toMatchObject({ files: 3, requestsPerMinute: 60, startsPerMinute: 10 })
    expect(settings.delivery).toMatchObject({ maxAttempts: 8, timeoutMs: 10_000 })
    expect(settings.productName).toBe('Service')
    expect(settings.hookTimeoutMs).toBe(10_000)
    expect(settings.addressGuard.check('127.0.0.1').allowed).toBe(false)
  })

  it('treats undefined as a missing option', () => {
    const { settings } = create({ logger: undefined, limits: { files: undefined }, delivery: undefined })
    expect(settings.limits).toEqual(DEFAULT_LIMITS)
  })

  it.each(WRONG)('refuses at startup: %s', (_, wrong, message) => {
    const refusal = refusalOf(() => create(wrong))
    expect(refusal).toMatch(message)
    expect(refusal).not.toContain(SECRET)
    expect(refusal).not.toContain('u:p@h')
  })

  it('has an invalid value above for every option', () => {
    const refusal = refusalOf(() => create({ '': 1 }))
    const tried = WRONG.map(([, wrong]) => wrong)
    expect(untriedOptions(refusal, tried)).toEqual([])
  })

  it('refuses a call without options', () => {
    const make = () => createIntegrations(undefined as unknown as IntegrationsOptions)
    expect(refusalOf(make)).toMatch(/createIntegrations must be an object with: storage/)
  })

  it.each([
    [{ retention: { eventDays: 6, auditDays: 0, fileDays: 0 } }],
    [{ retention: { eventDays: 366 } }],
    // 7 waits of a day, and one more day.
    [{ delivery: { maxRetryAfterMs: DAY_MS, timeoutMs: 1 }, retention: { eventDays: 9 } }],
  ])('accepts a retention longer than the retries: %j', (possible) => {
    expect(create(possible).settings.retention).toMatchObject(possible.retention)
  })

  it('keeps events for 30 days, or longer if they are retried longer', () => {
    expect(create({}).settings.retention).toEqual(DEFAULT_RETENTION)
    expect(create({ delivery: { backoffMs: 600_000 } }).settings.retention.eventDays).toBe(48)
  })

  const groups = {
    limits: DEFAULT_LIMITS,
    delivery: DEFAULT_DELIVERY_POLICY,
    start: DEFAULT_START_POLICY,
    lease: DEFAULT_LEASE_POLICY,
    retention: DEFAULT_RETENTION,
  }
  const numbers = Object.entries(groups).flatMap(([group, defaults]) =>
    Object.entries(defaults).flatMap(([name, value]) =>
      typeof value === 'number' ? [[group, name] as const] : [],
    ),
  )
  it.each(numbers)('accepts for %s.%s only a number in its range', (group, name) => {
    for (const wrong of ['5', null, -1, Number.NaN, Number.POSITIVE_INFINITY, true]) {
      expect(refusalOf(() => create({ [group]: { [name]: wrong } }))).toMatch(
        new RegExp(
          `^createIntegrations: ${group}\\.${name} must be a (whole )?number, (\\d or more|from \\d to \\d+)\\.$`,
        ),
      )
    }
    const defaults: Record<string, number | boolean> = { ...groups[group as keyof typeof groups] }
    expect(() => create({ [group]: { [name]: defaults[name] } })).not.toThrow()
  })

  it('accepts only true or false for delivery.standardWebhooks', () => {
    const set = (standardWebhooks: unknown) => () => create({ delivery: { standardWebhooks } })
    expect(refusalOf(set('true'))).toBe(
      'createIntegrations: delivery.standardWebhooks must be true or false.',
    )
    expect(set(true)().settings.delivery.standardWebhooks).toBe(true)
  })
})
