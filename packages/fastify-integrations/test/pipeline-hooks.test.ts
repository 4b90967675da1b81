import { randomUUID } from 'node:crypto'
import type { PipelineStatus, QuotePipeline } from '@quickquote/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Host, NOWHERE, startHost, useDatabase } from './support/host.ts'

const database = useDatabase()
/** A signed link is a secret: it must never be logged or sent in an error. */
const SECRET = 'sig=c2lnbmVk'

let host: Host
let key: string
let quotation: string
let proposal: string
let sign: () => unknown
let tellStatus: (quotationId: string) => unknown

beforeAll(async () => {
  const pipeline: QuotePipeline = {
    start: async () => {},
    signDocumentUrl: async () => sign() as { url: string; expires_at: Date },
    status: async (id) => tellStatus(id) as PipelineStatus,
  }
  host = await startHost({
    databaseUrl: database.url,
    integrations: { pipeline, hookTimeoutMs: 100, limits: { requestsPerMinute: 1000 } },
  })
  key = (await host.createKey()).key
  quotation = await host.startQuotation(key)
  const report = host.integrations.pipeline(quotation)
  await report.stepCompleted('requirement_analysis')
  await report.stepCompleted('functional_specification')
  await report.stepCompleted('work_breakdown')
  await report.stepCompleted('effort_estimation')
  await report.proposalReady({ documentId: randomUUID() })
  const { body } = await host.call('GET', `/v1/integrations/quotations/${quotation}/proposal`, { key })
  proposal = String(body['id'])
})
afterAll(() => host.close())

const ask = {
  signDocumentUrl: () => host.call('GET', `/v1/integrations/proposals/${proposal}/document-url`, { key }),
  status: () => host.call('GET', `/v1/integrations/quotations/${quotation}/pipeline`, { key }),
}

/** Every failure of a hook is one log line, and its message never reaches the client. */
async function expectProblem(hook: keyof typeof ask, expected: { status: number; code: string }) {
  const before = host.logs.length
  const { status, body } = await ask[hook]()
  expect([status, body['code']]).toEqual([expected.status, expected.code])
  const errors = host.logs.slice(before).filter((line) => line.includes('"level":50'))
  expect(errors.filter((line) => line.includes(`"hook":"pipeline.${hook}"`))).toHaveLength(1)
  for (const text of [JSON.stringify(body), ...errors]) expect(text).not.toContain(SECRET)
  expect(JSON.stringify(body)).not.toContain('S3')
}

const unavailable = { status: 503, code: 'SERVICE_UNAVAILABLE' }
const broken = { status: 500, code: 'INTERNAL_ERROR' }

const FAILURES: [string, () => unknown][] = [
  [
    'throws',
    () => {
      throw new Error('S3 said no')
    },
  ],
  ['rejects', () => Promise.reject(new Error('S3 said no'))],
  ['rejects with text', () => Promise.reject(SECRET)],
  ['rejects with undefined', () => Promise.reject(undefined)],
  ['hangs', () => new Promise(() => {})],
]

const future = () => new Date(Date.now() + 60_000)
const url = `https://files.example.com/a?${SECRET}`

describe('signDocumentUrl', () => {
  it.each(FAILURES)('that %s is a 503', async (_, failure) => {
    sign = failure
    await expectProblem('signDocumentUrl', unavailable)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', url],
    ['a number', 5],
    ['the fields of another language', { URL: url, expiresAt: future() }],
    ['an invalid URL', { url: `files/a?${SECRET}`, expires_at: future() }],
    ['a plain HTTP URL', { url: `http://files.example.com/a?${SECRET}`, expires_at: future() }],
    ['a javascript: URL', { url: `javascript:alert('${SECRET}')`, expires_at: future() }],
    ['a data: URL', { url: `data:text/html,${SECRET}`, expires_at: future() }],
    ['a URL object', { url: new URL(url), expires_at: future() }],
    ['no time', { url }],
    ['null for a time', { url, expires_at: null }],
    ['an invalid time', { url, expires_at: new Date('soon') }],
    ['text that is not a time', { url, expires_at: 'soon' }],
  ])('that returns %s is a 500', async (_, answer) => {
    sign = () => answer
    await expectProblem('signDocumentUrl', broken)
  })

  it.each([
    ['a Date', future()],
    ['ISO 8601', future().toISOString()],
    ['milliseconds', +future()],
  ])('may return the time as %s', async (_, expires_at) => {
    sign = () => ({ url, expires_at, bucket: 'not declared' })
    const { status, body } = await ask.signDocumentUrl()
    expect(status).toBe(200)
    expect(body).toEqual({ url, expires_at: new Date(expires_at).toISOString() })
  })
})

describe('status', () => {
  const statusOf = (id: string) => ({
    quotation_id: id,
    status: 'running',
    processed_step: 'none',
    progress: { completed: 0, total: 1 },
    steps: [
      { step: 'proposal', status: 'running', started_at: new Date(0), completed_at: null, error_code: null },
    ],
    error_code: null,
    updated_at: new Date(0),
  })

  it('may replace the step list; undeclared fields are not sent', async () => {
    tellStatus = (id) => ({ ...statusOf(id), internal: SECRET })
    const { status, body } = await ask.status()
    expect(status).toBe(200)
    expect(body).toEqual(JSON.parse(JSON.stringify(statusOf(quotation))))
  })

  it.each(FAILURES)('that %s is a 503', async (_, failure) => {
    tellStatus = failure
    await expectProblem('status', unavailable)
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  it.each<[string, (id: string) => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a string', () => 'running'],
    ['an empty object', () => ({})],
    ['something circular', () => circular],
    ['the status of another quotation', () => statusOf(NOWHERE)],
    ['a status that does not exist', (id) => ({ ...statusOf(id), status: 'paused' })],
    ['steps that are not a list', (id) => ({ ...statusOf(id), steps: { proposal: 'running' } })],
    ['a step that does not exist', (id) => ({ ...statusOf(id), steps: [{ step: 'review' }] })],
    ['an invalid time', (id) => ({ ...statusOf(id), updated_at: 'just now' })],
    [
      'a number that is too large for JSON',
      (id) => ({ ...statusOf(id), progress: { completed: 1n, total: 2n } }),
    ],
  ])('that returns %s is a 500', async (_, answer) => {
    tellStatus = answer
    await expectProblem('status', broken)
  })
})
