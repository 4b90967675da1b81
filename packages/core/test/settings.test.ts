import {
  createIntegrations,
  DEFAULT_LIMITS,
  DEFAULT_RETENTION,
  type IntegrationsOptions,
} from '@quickquote/core'
import { hostOptions, NOWHERE } from '@quickquote/dev-servers/host'
import { itRefuses, PASSWORD, refusalOf } from '@quickquote/dev-servers/refusals'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { describe, expect, it } from 'vitest'

const { pipeline, encryptionKeys } = hostOptions
const storage = drizzleStorage({ connectionString: NOWHERE })
const options: IntegrationsOptions = { storage, pipeline, encryptionKeys }
const DAY_MS = 24 * 60 * 60 * 1000
/** A valid encryption key, 32 bytes in base64, that contains what no refusal may repeat. */
const KEY = `${PASSWORD.padEnd(43, 'A')}=`

const create = (wrong: object) => createIntegrations({ ...options, ...wrong } as IntegrationsOptions)

/** The required methods. */
const quotations = Object.fromEntries(
  ['transaction', 'insert', 'update', 'find', 'lock', 'findByProposal'].map((name) => [name, async () => {}]),
)

const WRONG: [object, RegExp][] = [
  [{ storage: undefined }, /storage is missing: pass drizzleStorage/],
  [{ storage: `postgres://u:${PASSWORD}@h/d` }, /storage is missing/],
  [{ otherStorages: [`postgres://u:${PASSWORD}@h/d`] }, /otherStorages must/],
  [{ pipeline: undefined }, /pipeline needs two functions/],
  [{ pipeline: { start: async () => {} } }, /signDocumentUrl/],
  [{ pipeline: { ...pipeline, status: 'ok' } }, /pipeline\.status must be a/],
  [{ pipeline: { ...pipeline, steps: ['work_breakdown'] } }, /pipeline\.steps must/],
  [
    { pipeline: { ...pipeline, steps: ['work_breakdown', 'requirement_analysis', 'proposal'] } },
    /pipeline\.steps must list some of requirement_analysis, .*, in this order, ending with proposal/,
  ],
  [{ pipeline: { ...pipeline, steps: ['design', 'proposal'] } }, /pipeline\.steps must/],
  [{ events: ['project.created'] }, /events must be the result of defineEvents/],
  [{ events: { 'project.created': 5 } }, /events\['project\.created'\]/],
  [{ quotations: {} }, /quotations lacks the methods transaction, insert/],
  [{ quotations: null }, /quotations lacks the methods transaction, insert/],
  [{ quotations: { ...quotations, list: 5 } }, /quotations\.list must be a function\. It is optional/],
  [{ quotations: { ...quotations, findUpdatedAt: null } }, /quotations\.findUpdatedAt must be a function/],
  [{ files: { put() {}, get() {}, delete() {}, erase: true } }, /files\.erase must be a function/],
  [{ files: { put() {}, delete() {} } }, /files needs three functions: put/],
  [{ encryptionKeys: [] }, /encryptionKeys must be a list of at least one key.*randomBytes\(32\)/],
  [{ encryptionKeys: undefined }, /encryptionKeys must be a list of at least one key/],
  [{ encryptionKeys: KEY }, /encryptionKeys must be a list of at least one key/],
  [{ encryptionKeys: [KEY] }, /^createIntegrations: encryptionKeys\[0\] must be an object with: id, key/],
  [{ encryptionKeys: [{ id: 'k', keys: KEY }] }, /\[0\]\.keys is not an option\. Did you mean key\?/],
  [{ encryptionKeys: [{ key: KEY }] }, /encryptionKeys\[0\]\.id must be a unique name/],
  [{ encryptionKeys: [{ id: 'k', key: 'short' }] }, /\[0\]\.key must be 32/],
  [{ encryptionKeys: [{ id: KEY, key: 'k' }] }, /\[0\]\.key must be 32/],
  [{ encryptionKeys: [{ id: 'k', key: 32 }] }, /\[0\]\.key must be 32/],
  [
    { encryptionKeys: [...encryptionKeys, ...encryptionKeys] },
    /encryptionKeys\[1\]\.id must be a unique name/,
  ],
  [{ productName: 'Ac me' }, /header names/],
  [{ apiKeys: { recordAddresses: 'no' } }, /apiKeys.recordAddresses must be true or false/],
  [{ viewersSeeBodies: 'no' }, /viewersSeeBodies must be true or false/],
  [{ productName: null }, /productName becomes/],
  [{ limits: 5 }, /limits must be an object with: enabled, requestsPerMinute/],
  [{ limits: new Map([['files', 1]]) }, /limits must be an object with: enabled, requestsPerMinute/],
  [{ lease: { heartbeatMs: 8000 } }, /lease\.deadAfterMs must be at least twice heartbeatMs/],
  [{ delivery: [] }, /delivery must be an object with: maxAttempts/],
  [{ start: null }, /start must be an object with: maxAttempts/],
  [{ allowAddresses: '10.0.0.0/8' }, /allowAddresses must be a list of CIDRs/],
  [{ allowAddresses: [10] }, /allowAddresses must be a list/],
  [{ egress: new URL(`http://me:${PASSWORD}@proxy:3128`) }, /egress must be an object with: proxy/],
  [{ egress: { proxy: 'proxy:3128' } }, /egress\.proxy must be a URL that begins with http:/],
  [{ egress: { proxy: 'socks5://proxy:1080' } }, /egress\.proxy must be a URL that begins/],
  [{ egress: { proxy: 'http://proxy:3128/way' } }, /egress\.proxy must be a URL without a path/],
  [{ egress: { proxyResolves: true } }, /egress\.proxyResolves needs a proxy/],
  [{ egress: { sourceAddresses: ['out.example'] } }, /egress\.sourceAddresses must be a list/],
  [{ egress: { ca: 5 } }, /egress\.ca must be certificates in PEM/],
  [{ egress: { ca: '/etc/ssl/ca.pem' } }, /egress\.ca must be .*, not a path/],
  [{ egress: { resolve: ['1.2.3.4'] } }, /egress\.resolve must be a function/],
  [{ egress: { proxi: 'http://proxy' } }, /egress\.proxi is not an option\. Did you mean proxy\?/],
  [{ allowAddresses: ['10.0.0.1/8'] }, /allowAddresses\[0\] must be a CIDR/],
  [{ onEndpointDisabled: 'https://x' }, /onEndpointDisabled must be a function/],
  [{ onEndpointFailing: 'https://x' }, /onEndpointFailing must be a function/],
  [{ onDeliveriesExhausted: null }, /onDeliveriesExhausted must be a function/],
  [{ onApiKeyExpiring: [] }, /onApiKeyExpiring must be a function/],
  [{ hookTimeoutMs: Number.POSITIVE_INFINITY }, /hookTimeoutMs must be a whole/],
  [{ hookTimeoutMs: 2 ** 31 }, /hookTimeoutMs must be .* to 2147483647/],
  [{ logger: true }, /logger must have the functions debug, info, warn and error/],
  [{ logger: { log() {} } }, /logger must have the functions/],
  [{ now: 1 }, /now must be a function/],
  [{ now: Date.now }, /now must be a function that returns a valid Date/],
  [{ limit: { files: 1 } }, /limit is not an option\. Did you mean limits\? Options: /],
  [{ resolveSession() {} }, /resolveSession is not an option\. Options: /],
  [{ limits: { filez: 1 } }, /limits\.filez is not an option\. Did you mean files\?/],
  [{ delivery: { maxAttempts: 40 } }, /delivery\.backoffMs would grow to more than a year/],
  [
    { delivery: { maxAttempts: Number.MAX_SAFE_INTEGER, backoffFactor: 1 } },
    /maxAttempts must be .* to 1000000/,
  ],
  [{ delivery: { warnAfterMs: 1e14 } }, /warnAfterMs must be .* to 3153600000000/],
  [{ start: { concurrency: 1e6 } }, /start\.concurrency must be .* to 10000/],
  [{ start: { timeoutMs: 1e14 } }, /start\.timeoutMs must be .* to 3153600000000/],
  [{ limits: { apiKeyLifetimeDays: 1e9 } }, /apiKeyLifetimeDays must be .* to 36500/],
  [{ retention: { eventDays: 5 } }, /eventDays must be .* from 6 to 366/],
  [{ retention: { eventDays: 367 } }, /eventDays must be .* from 6 to 366/],
  [
    { delivery: { maxRetryAfterMs: 30 * DAY_MS }, retention: { eventDays: 211 } },
    /eventDays must be .* from 212 to 366/,
  ],
  [{ delivery: { maxRetryAfterMs: 60 * DAY_MS } }, /must be kept for 422 days, but the limit is 366/],
  [{ start: { maxAttempts: 40 } }, /start\.backoffMs would grow/],
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

  itRefuses(create, WRONG)

  it('refuses a call without options', async () => {
    const make = () => createIntegrations(undefined as unknown as IntegrationsOptions)
    expect(await refusalOf(make)).toMatch(/createIntegrations must be an object with: storage/)
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

  const { limits, delivery, start, lease, retention, apiKeys } = create({}).settings
  const groups = Object.entries({ limits, delivery, start, lease, retention, apiKeys })
  const options = groups.flatMap(([group, defaults]) =>
    Object.entries(defaults).map(([name, value]): [string, string, unknown] => [group, name, value]),
  )
  it.each(options)('accepts for %s.%s only a value in its range', async (group, name, value) => {
    const isFlag = typeof value === 'boolean'
    const rule = isFlag ? 'true or false' : 'a (whole )?number, (\\d or more|from \\d to \\d+)'
    for (const wrong of ['5', null, -1, Number.NaN, Number.POSITIVE_INFINITY, isFlag ? 1 : true]) {
      expect(await refusalOf(() => create({ [group]: { [name]: wrong } }))).toMatch(
        new RegExp(`^createIntegrations: ${group}\\.${name} must be ${rule}\\.$`),
      )
    }
    expect(create({ [group]: { [name]: value } }).settings).toMatchObject({ [group]: { [name]: value } })
  })
})
