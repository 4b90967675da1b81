import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AUDIT_ACTIONS, CHECK_VERDICTS, DELIVERY_FAILURES, FAILURE_DETAILS } from '@quickquote/core/internal'
import { describe, expect, it } from 'vitest'
import { apiText } from '../ui/i18n/api-text.ts'
import { de } from '../ui/i18n/de.ts'
import { en } from '../ui/i18n/en.ts'
import { createFormatter } from '../ui/i18n/format.ts'
import { adviceFor, shortCause } from '../ui/screens/failure.ts'

const UI = resolve(import.meta.dirname, '../ui')
const KEYS = Object.keys(en) as (keyof typeof en)[]

/** The bundled languages besides English. */
const OTHERS = { de }

/** The form with all values: a singular may omit its number. */
const wholeOf = (message: string | { other: string }) =>
  typeof message === 'string' ? message : message.other
/** A translator; that of the screens needs a browser's types. */
const textsOf = (catalog: typeof de) => ({
  t: (key: keyof typeof en, values: Readonly<Record<string, string>> = {}) =>
    wholeOf(catalog[key]).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole),
  has: (key: string): key is keyof typeof en => key in catalog,
})
const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

/** The texts of the screens: whole keys, and the beginnings of combined ones. */
function used(): { whole: ReadonlySet<string>; beginnings: readonly string[] } {
  const sources = readdirSync(UI, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/^i18n.(?:en|de)\.ts$/.test(name))
    .map((name) => readFileSync(join(UI, name), 'utf8'))
    .join('\n')
  const quoted = [...sources.matchAll(/'([\w.-]+)'/g)].map(([, key = '']) => key)
  const combined = [...sources.matchAll(/`([\w.-]+)\$\{/g)].map(([, key = '']) => key)
  return { whole: new Set(quoted), beginnings: [...combined, ...quoted.filter((key) => key.endsWith('.'))] }
}

describe('The texts of the portal', () => {
  it.each(Object.entries(OTHERS))('in %s: are complete, with the same values in them', (_, texts) => {
    for (const key of KEYS) {
      expect(placeholdersOf(wholeOf(texts[key])), key).toEqual(placeholdersOf(wholeOf(en[key])))
      expect(wholeOf(texts[key]).trim(), key).not.toBe('')
    }
  })

  it('have no unused key', () => {
    const { whole, beginnings } = used()
    const isUsed = (key: string) =>
      whole.has(key) || beginnings.some((beginning) => key.startsWith(beginning))
    expect(KEYS.filter((key) => !isUsed(key))).toEqual([])
  })

  it('have each verdict of a receiver check, in English word by word, so that it can be translated', () => {
    const texts = Object.entries(en).filter(([key]) => key.startsWith('check.verdict.'))
    const verdicts = Object.entries(CHECK_VERDICTS)
    expect(texts).toEqual(verdicts.map(([verdict, text]) => [`check.verdict.${verdict}`, text]))
  })

  it('have each cause of a failed attempt, in English word by word', () => {
    const causes = Object.entries(DELIVERY_FAILURES).map(([code, { error }]) => [
      `cause.${code}`,
      code === 'address_blocked' ? 'address {address} is {why}' : error,
    ])
    expect(Object.entries(en)).toEqual(expect.arrayContaining(causes))
    const german = textsOf(de)
    for (const [, error = ''] of causes) expect(apiText(german, 'cause', error)).not.toBe(error)
    // And what is said in more detail.
    for (const [code, details] of Object.entries(FAILURE_DETAILS)) {
      const { error } = DELIVERY_FAILURES[code as keyof typeof FAILURE_DETAILS]
      for (const detail of Object.values(details)) {
        const text = apiText(german, 'cause', error.replace('{detail}', detail))
        expect([text, text.includes(detail)]).toEqual([text, false])
      }
    }
  })

  it('have the conflicts that the service names, and its own sentence for another one', () => {
    const services = resolve(import.meta.dirname, '../../core/src')
    const sources = readdirSync(services, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(services, name), 'utf8'))
      .join('\n')
    // `A key that is ${status} cannot be ${move}d.`
    const beginning = (text: string) => text.split(/\{status\}|activated|deactivated/)[0] ?? ''
    const conflicts = Object.entries(en).filter(([key]) => key.startsWith('conflict.'))
    expect(conflicts.filter(([, text]) => !sources.includes(beginning(String(text))))).toEqual([])
    const german = textsOf(de)
    const texts = [
      'The endpoint is disabled. Enable it first.',
      'A key that is expired cannot be activated.',
      'Something new.',
    ].map((text) => apiText(german, 'conflict', text))
    expect(texts).toEqual([
      'Der Endpunkt ist abgeschaltet. Schalten Sie ihn zuerst ein.',
      'Dieser Schlüssel lässt sich nicht aktivieren (Status: Abgelaufen).',
      'Something new.',
    ])
  })

  it('advise differently for each kind of failure, with the timeout that there was', () => {
    const english = { ...textsOf(en), format: createFormatter('en') }
    const statuses = [302, 401, 404, 410, 422, 429, 500]
    const codes = [
      ...(['timeout', 'connect_timeout', 'connection_refused', 'connection_reset', 'dns_not_found'] as const),
      ...(['certificate', 'tls', 'not_http', 'proxy_refused'] as const),
    ]
    const failures = [
      ...statuses.map((http_status) => ({ http_status, error: `The receiver answered ${http_status}.` })),
      ...codes.map((code) => ({ http_status: null, error: DELIVERY_FAILURES[code].error as string })),
      { http_status: null, error: 'address 10.0.0.1 is private' },
    ]
    expect(new Set(failures.map((failure) => adviceFor(english, failure))).size).toBe(failures.length)
    const slow = { http_status: null, error: 'timed out after 4000 ms' }
    expect(adviceFor(english, slow)).toContain('has 4.0 s to respond')
    const { certificate, tls } = FAILURE_DETAILS
    const adviceOf = (error: string) => adviceFor(english, { http_status: null, error })
    for (const detail of [
      certificate.issuer_not_trusted,
      certificate.self_signed,
      certificate.issuer_unknown,
    ]) {
      expect(adviceOf(`certificate: ${detail}`)).toMatch(/ask the operator/)
    }
    for (const detail of [tls.client_certificate, tls.no_cipher]) {
      expect(adviceOf(`the TLS handshake failed${detail}`)).toMatch(/without a client certificate/)
    }
    expect(
      ['the host name does not exist', 'certificate: expired', 'connection refused', slow.error, 'x'].map(
        (error) => shortCause(english, error),
      ),
    ).toEqual(['DNS', 'TLS', 'refused', 'timed out', 'no response'])
  })

  it('name every action of the audit log', () => {
    const wanted = AUDIT_ACTIONS.flatMap((action) => [`audit.${action}`, `audit.filter.${action}`])
    expect(wanted.filter((key) => !(key in en))).toEqual([])
    expect(KEYS.filter((key) => key.startsWith('audit.filter.'))).toHaveLength(AUDIT_ACTIONS.length)
  })
})
