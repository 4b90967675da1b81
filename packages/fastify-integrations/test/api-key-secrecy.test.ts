import { afterAll, beforeAll, expect, it } from 'vitest'
import { ACME, type Answer, type Host, NOWHERE, startHost, useDatabase, YEAR_AHEAD } from './support/host.ts'
import { watchSecrets } from './support/secrets.ts'

const database = useDatabase()
let host: Host
beforeAll(async () => {
  host = await startHost({ databaseUrl: database.url })
})
afterAll(() => host.close())

const KEYS = `/v1/organizations/${ACME}/api-keys`

/** The response, including headers. */
const textOf = ({ headers, body }: Answer) => JSON.stringify([[...headers], body])

/** Creates a key and uses it in every request that accepts or shows keys. Returns all responses but the first. */
async function wholeLife(): Promise<{ key: string; answers: Answer[] }> {
  // So that a page of one key has a link to the next.
  await host.createKey('acme-admin')
  const created = await host.call('POST', KEYS, {
    member: 'acme-member',
    json: { name: 'CRM', expires_at: YEAR_AHEAD },
  })
  const { id, key } = created.body as { id: string; key: string }
  const answers: Answer[] = []
  const member = async (
    method: string,
    path: string,
    json?: unknown,
    as: 'acme-member' | 'acme-admin' = 'acme-member',
  ) => answers.push(await host.call(method, KEYS + path, { member: as, json }))
  const partner = async (path: string, value: string = key) =>
    answers.push(await host.call('GET', `/v1/integrations${path}`, { key: value }))

  const quotation = await host.startQuotation(key)
  await partner(`/quotations/${quotation}`)
  await partner(`/quotations/${NOWHERE}`)
  await partner(`/quotations/${quotation}?api_key=${key}`)
  await partner(`/quotations/${key}`)
  await partner(`/${key}`)
  await partner(`/quotations/${quotation}`, key.toLowerCase())
  await partner(`/quotations/${quotation}`, `${key}, ${key}`)
  await member('GET', '')
  await member('GET', `?owner=all&limit=1&x=${key}`, undefined, 'acme-admin')
  await member('GET', `?cursor=${key}`)
  await member('GET', `/${id}`)
  await member('GET', `/${key}`)
  await member('POST', '', { name: 5, expires_at: key, key })
  await member('PATCH', `/${id}`, { name: 'ERP', key })
  await member('POST', `/${id}/deactivate`)
  await partner(`/quotations/${NOWHERE}`)
  await member('POST', `/${id}/activate`)
  await member('DELETE', `/${id}`)
  await member('POST', `/${id}/activate`)
  await member('PATCH', `/${id}`, { name: 'gone' })
  await partner(`/quotations/${NOWHERE}`)
  answers.push(await host.call('GET', `/v1/organizations/${ACME}/audit-log`, { member: 'acme-admin' }))
  answers.push(await host.call('PUT', `${KEYS}/${key}`, { member: 'acme-admin' }))
  answers.push(await host.call('PUT', `${KEYS}/${id}`, { member: 'acme-admin', json: { key } }))
  return { key, answers }
}

it('shows a key once, at its creation, and never again in a response, a log line or a table', async () => {
  const watch = watchSecrets()
  const { key, answers } = await wholeLife()
  watch.answered('POST', KEYS, '', { key })
  expect(new Set(answers.map(({ status }) => status))).toEqual(
    new Set([200, 204, 400, 401, 403, 404, 405, 409]),
  )
  for (const answer of answers) {
    expect(textOf(answer)).not.toContain(key.slice(7, -4))
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
  expect(await watch.leaks(host.logs, database.url)).toEqual([])
})

it('would find a key in any table, as text or as bytes', async () => {
  const watch = watchSecrets()
  const { id, key } = await host.createKey('acme-member')
  watch.answered('POST', KEYS, '', { key })
  const stored = (await database.sql`select key_hash, name from quickquote.api_keys where id = ${id}`)[0]
  await database.sql`update quickquote.api_keys set name = ${key} where id = ${id}`
  expect(await watch.leaks([], database.url)).toEqual(['the table quickquote.api_keys'])
  await database.sql`
    update quickquote.api_keys set name = ${stored?.['name']}, key_hash = ${Buffer.from(key)} where id = ${id}`
  expect(await watch.leaks([], database.url)).toEqual(['the table quickquote.api_keys'])
  await database.sql`update quickquote.api_keys set key_hash = ${stored?.['key_hash']} where id = ${id}`
  expect(await watch.leaks([key], database.url)).toEqual([`the log line ${key}`])
})
