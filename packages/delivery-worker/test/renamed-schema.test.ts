import { beforeEach, expect, it } from 'vitest'
import { type Host, openHost } from './support/host.ts'

let host: Host

beforeEach(async () => {
  host = await openHost()
})
it('a worker refuses to start on an SQL schema whose functions use another', async () => {
  const { sql } = host
  await sql`alter schema quickquote rename to first`
  await sql`create schema quickquote`
  // A second installation, under the name that the functions contain and the worker is configured with.
  const [made] = await sql`select pg_get_functiondef('first.forget_quotation'::regproc) as definition`
  await sql.unsafe(
    String(made?.['definition'])
      .replaceAll('"quickquote"', '"first"')
      .replace('FUNCTION first.', 'FUNCTION quickquote.'),
  )
  await expect(host.createWorker().start()).rejects.toThrow(/"quickquote" was renamed.*"first"/)
})
