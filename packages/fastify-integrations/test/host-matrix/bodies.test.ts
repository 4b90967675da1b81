import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { expect, it } from 'vitest'
import { form, json, type OwnRequest, useHostMatrix } from './matrix.ts'

const beside = useHostMatrix()

const upload = (expected: object): OwnRequest => ({
  method: 'POST',
  path: '/host/upload',
  body: () => form('a.txt', 'of the host'),
  expected,
})

const withMultipart = (options: object) => async (app: FastifyInstance) => {
  await app.register(multipart, { ...options, limits: { fileSize: 11, files: 1 } })
}

/** Reads a file as configured in @fastify/multipart. */
const uploadRoute = (app: FastifyInstance) => {
  app.post('/host/upload', async (request) => {
    const { files } = (request.body ?? {}) as { files?: unknown }
    const isValue = typeof files === 'string' || Buffer.isBuffer(files)
    if (isValue) return { got: String(files) }
    const file = files === undefined ? await request.file() : (files as { toBuffer(): Promise<Buffer> })
    return { got: String(await file?.toBuffer()) }
  })
}

const got = { status: 200, body: '{"got":"of the host"}' }
const tooLarge: OwnRequest = {
  method: 'POST',
  path: '/host/upload',
  body: () => form('a.txt', 'more than eleven bytes'),
  expected: { status: 413 },
}

for (const attachFieldsToBody of [false, true, 'keyValues'] as const) {
  const own = [upload(got), tooLarge]
  const options = { attachFieldsToBody }
  const as = JSON.stringify(attachFieldsToBody)
  beside(`@fastify/multipart, attachFieldsToBody ${as}, registered before`, {
    before: withMultipart(options),
    after: uploadRoute,
    own,
  })
  beside(`@fastify/multipart, attachFieldsToBody ${as}, registered after`, {
    async after(app) {
      await withMultipart(options)(app)
      uploadRoute(app)
    },
    own,
  })
}

const large = JSON.stringify('x'.repeat(4096))

beside('a bodyLimit smaller than ours', {
  fastify: { bodyLimit: 4096 },
  own: [json('/host/json', large, { status: 413 })],
})

beside(
  'a bodyLimit larger than ours',
  { fastify: { bodyLimit: 8 * 1024 * 1024 }, own: [json('/host/json', large, { status: 200 })] },
  (row) => {
    it('does not raise ours', async () => {
      const { status } = await row.host.call('POST', '/v1/integrations/quotations', {
        key: row.key,
        json: { requirementsText: 'x'.repeat(5 * 1024 * 1024) },
      })
      expect(status).toBe(413)
    })
  },
)

beside('its own JSON parser', {
  before(app) {
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      done(null, { raw: body })
    })
  },
  own: [json('/host/json', '{"a":1}', { body: '{"got":{"raw":"{\\"a\\":1}"}}' })],
})

beside('a parser for every content type', {
  before(app) {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
      done(null, { bytes: body.length })
    })
  },
  own: [json('/host/json', '{"a":1}', { body: '{"got":{"bytes":7}}' })],
})

beside('parsers added after ours', {
  after(app) {
    app.addContentTypeParser(
      ['text/csv', 'multipart/form-data'],
      { parseAs: 'string' },
      (_request, body, done) => done(null, String(body).length > 0),
    )
  },
  own: [upload({ status: 404 })],
})
