import { describe, expect, it } from 'vitest'
import { ACME, GLOBEX, useHost } from './support/host.ts'

const context = useHost()
const START = '/v1/integrations/quotations'

/** Two files and metadata. */
async function send(path: string, { key, idempotencyKey }: { key: string; idempotencyKey?: string }) {
  const form = new FormData()
  form.append('name', 'Portal')
  form.append('metadata', '{"crm_deal":"D-1042"}')
  form.append('organization_id', GLOBEX)
  for (const name of ['a.md', 'b.txt']) form.append('files', new File(['# Invoices'], name))
  const encoded = new Response(form)
  return context.host.call('POST', path, {
    key,
    headers: {
      'Content-Type': encoded.headers.get('content-type') ?? '',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body: new Uint8Array(await encoded.arrayBuffer()),
  })
}

describe('POST /v1/integrations/quotations/files', () => {
  it('starts a quote as the start itself does, which a repeated key recognizes in both', async () => {
    const { key } = await context.host.createKey()
    const first = await send(`${START}/files`, { key, idempotencyKey: 'deal-1' })
    const id = String(first.body['quotation_id'])
    expect([first.status, first.headers.get('location')]).toEqual([202, `${START}/${id}`])
    const second = await send(START, { key, idempotencyKey: 'deal-1' })
    expect([second.status, second.body, second.headers.get('idempotency-replayed')]).toEqual([
      ...[202, first.body],
      'true',
    ])
    expect((await send(`${START}/files`, { key, idempotencyKey: 'deal-1' })).body).toEqual(first.body)
    const { body } = await context.host.call('GET', `${START}/${id}`, { key })
    expect(body).toMatchObject({ name: 'Portal', metadata: { crm_deal: 'D-1042' } })
    expect(
      await context.sql`select organization_id, files.name from quickquote.quotations q
      join quickquote.quotation_files files on files.quotation_id = q.id order by position`,
    ).toEqual([
      { organization_id: ACME, name: 'a.md' },
      { organization_id: ACME, name: 'b.txt' },
    ])
  })

  it('has the limit of starts in common with it', async () => {
    const { key } = await context.host.createKey()
    for (const path of [`${START}/files`, START, `${START}/files`]) await send(path, { key })
    const { headers } = await send(`${START}/files`, { key })
    expect(headers.get('ratelimit')).toMatch(/^"requests";r=56;.*"starts";r=6;/)
  })

  it('takes only a form', async () => {
    const { key } = await context.host.createKey()
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      const answer = await context.host.call('POST', `${START}/files`, {
        key,
        headers: { 'Content-Type': type },
        body: '{"requirementsText":"a"}',
      })
      expect(answer).toMatchObject({
        status: 415,
        body: { code: 'UNSUPPORTED_MEDIA_TYPE', detail: 'Send a form: `multipart/form-data`.' },
      })
    }
    expect(await context.host.call('POST', `${START}/files`, { key })).toMatchObject({ status: 400 })
  })
})
