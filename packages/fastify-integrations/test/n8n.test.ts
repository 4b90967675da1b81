import { readFileSync } from 'node:fs'
import { sign } from '@quickquote/webhook-signature'
import { beforeAll, expect, it } from 'vitest'
import { useHost } from './support/host.ts'
import {
  type Execution,
  evaluated,
  type NodeRequest,
  type NodeResponse,
  runWorkflow,
  type Workflow,
} from './support/n8n.ts'
import { openApiCheck } from './support/openapi-check.ts'

const context = useHost({ integrations: { limits: { requestsPerMinute: 1000, startsPerMinute: 1000 } } })
const DOCUMENT = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
/** As in the workflows. */
const SERVICE = 'https://quotes.example.com'
let key: string

beforeAll(async () => {
  key = (await context.host.createKey()).key
})

function workflowOf(name: string): Workflow {
  const file = new URL(`../../../docs/n8n/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Workflow
}

/** Sends a request of a node to the service, after checks against its OpenAPI document. */
async function send(request: NodeRequest): Promise<NodeResponse> {
  const { node, method, headers, query, json, form } = request
  const url = new URL(request.url)
  expect(node.parameters).toMatchObject({
    authentication: 'genericCredentialType',
    genericAuthType: 'httpHeaderAuth',
  })
  expect([url.origin, node.retryOnFail]).toEqual([SERVICE, true])
  const { document, checkHeader } = openApiCheck(context.host.openapi)
  const template = url.pathname.replace(/[0-9a-f-]{36}/, '{id}')
  const operation = document.paths[template]?.[method.toLowerCase()]
  if (operation === undefined) return expect.fail(`${method} ${template} is not documented`)
  const { parameters = [], requestBody } = operation
  for (const [where, given] of [
    ['query', query],
    ['header', headers],
  ] as const) {
    for (const [name, value] of Object.entries(given)) {
      const what = `${method} ${template} ${name}`
      const parameter = parameters.find((each) => each.in === where && each.name === name)
      checkHeader(parameter?.schema ?? expect.fail(what), value, what)
    }
  }
  if (form !== undefined) {
    const { schema } = requestBody?.content['multipart/form-data'] ?? expect.fail('takes no form')
    expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining([...form.keys()]))
  }
  const search = new URLSearchParams(query).toString()
  const path = url.pathname + (search && `?${search}`)
  const content = form === undefined ? { json } : { body: form }
  const answer = await context.host.call(method, path, { key, headers, ...(method === 'GET' ? {} : content) })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer
}

const run = (name: string, execution: Partial<Execution> = {}, trigger = { json: {} }) =>
  runWorkflow(workflowOf(name), trigger, { id: '7', kept: {}, send, ...execution })

it('start-and-wait.json starts one quote, however often n8n retries, waits for its end and reads the document', async () => {
  const started = new Set<string>()
  const report = async (id = '') => {
    const pipeline = context.host.integrations.pipeline(id)
    for (const step of ['requirement_analysis', 'functional_specification', 'work_breakdown'] as const) {
      await pipeline.stepCompleted(step)
    }
    await pipeline.stepCompleted('effort_estimation')
    await pipeline.proposalReady({ documentId: DOCUMENT })
    await pipeline.completed()
  }
  const items = await run('start-and-wait', {
    async send(request) {
      if (request.node.name === 'Document') {
        expect(request.node.parameters).not.toHaveProperty('authentication')
        return { headers: new Headers(), body: request.url }
      }
      const answer = await send(request)
      if (request.method === 'POST') {
        const again = await send(request)
        for (const { body } of [answer, again]) started.add((body as { quotation_id: string }).quotation_id)
        setTimeout(report, 100, [...started][0])
      }
      return answer
    },
  })
  expect(started.size).toBe(1)
  expect(items).toMatchObject({ Link: { json: { expires_at: expect.any(String) } } })
  expect(items['Document']?.json).toBe(items['Link']?.json.url)
  expect(items).not.toHaveProperty('Failed')
})

it('start-and-wait.json ends with the error code of a quote that fails', async () => {
  const items = await run('start-and-wait', {
    async send(request) {
      const answer = await send(request)
      const { quotation_id: id } = answer.body as { quotation_id?: string }
      if (id !== undefined)
        await context.host.integrations.pipeline(id).failed({ errorCode: 'MODEL_TIMEOUT' })
      return answer
    },
    id: '8',
  })
  expect(items).toHaveProperty('Failed')
  expect(items['Has it succeeded?']?.json.error_code).toBe('MODEL_TIMEOUT')
})

it('start-from-files.json sends two files, once for each execution', async () => {
  const start = async (id: string) => (await run('start-from-files', { id }))['Start']?.json.quotation_id
  const first = await start('9')
  expect(await start('9')).toBe(first)
  expect(await start('10')).not.toBe(first)
  const { body } = await context.host.call('GET', `/v1/integrations/quotations/${first}`, { key })
  expect(body).toMatchObject({ name: 'Customer portal', metadata: { workflow: 'wf' } })
})

it('read-events.json reads each event once, from its first execution on', async () => {
  const kept = {}
  const poll = async () =>
    (await run('read-events', { kept, send: (request) => send(atOnce(request)) }))['Next position']?.json
  expect(await poll()).toBeNull()
  const id = await context.host.startQuotation(key)
  await context.host.integrations.pipeline(id).failed()
  expect(await poll()).toMatchObject({ type: 'quotation.failed', data: { quotation_id: id } })
  expect(await poll()).toBeNull()
})

/** A wait for an event that will not come. */
const atOnce = (request: NodeRequest) => ({ ...request, query: { ...request.query, wait: '0' } })

it('verify-webhook.json accepts a genuine webhook, also during a rotation, and refuses others', async () => {
  const body = '{"id":"evt_1",  "type":"quotation.failed"}'
  const workflow = workflowOf('verify-webhook')
  const secret = String(workflow.nodes.find(({ name }) => name === 'HMAC')?.parameters['secret'])
  const receive = async (headers: Record<string, string>, content = body) => {
    const binary = { data: { content: Buffer.from(content), fileName: 'body' } }
    const trigger = { json: { headers, body: JSON.parse(content) }, binary }
    const items = await runWorkflow(workflow, trigger, { id: '1', kept: {}, send: () => expect.fail() })
    return [items['Accept'], items['Refuse']].map((item) => item !== undefined)
  }
  const signed = async (ageSeconds = 0, by = secret) => {
    const timestamp = Math.floor(Date.now() / 1000) - ageSeconds
    const signature = await sign({ secret: by, timestamp, body })
    return { 'x-service-timestamp': String(timestamp), 'x-service-signature': signature }
  }
  expect(await receive(await signed())).toEqual([true, false])
  const { 'x-service-signature': previous, ...others } = await signed()
  const rotated = await signed(0, 'whsec_new')
  const both = { 'x-service-signature-previous': `v1=ab, ${previous}` }
  expect(await receive({ ...rotated, ...others, ...both })).toEqual([true, false])
  expect(await receive(rotated)).toEqual([false, true])
  expect(await receive(await signed(301))).toEqual([false, true])
  expect(await receive(await signed(), body.replace('1', '2'))).toEqual([false, true])
})

it('the expression of the guide is the next URL of a list', async () => {
  const guide = readFileSync(new URL('../../../docs/guides/no-code.md', import.meta.url), 'utf8')
  const [, expression = ''] = /```js\n(.*)\n```/.exec(guide) ?? []
  const { key: another } = await context.host.createKey()
  for (const name of ['a', 'b']) await context.host.startQuotation(another, { name, requirementsText: 'x' })
  const seen: unknown[] = []
  for (let path = '/v1/integrations/quotations?limit=1'; seen.length < 2; ) {
    const { body, headers } = await context.host.call('GET', path, { key: another })
    seen.push((body as unknown as { name: string }[])[0]?.name)
    for (const origin of ['', 'https://gateway.example.com']) {
      const link = headers.get('link')?.replace('<', `<${origin}`)
      const first = () => ({ json: { baseUrl: SERVICE } })
      const url = evaluated(`=${expression}`, { $: () => ({ first }), $response: { headers: { link } } })
      expect(url).toMatch(`${SERVICE}/v1/integrations/quotations?limit=1&cursor=`)
      path = String(url).slice(SERVICE.length)
    }
  }
  expect(seen).toEqual(['b', 'a'])
})

it('each workflow can be imported: every connection leads to a node, and none has a key in it', () => {
  for (const name of ['start-and-wait', 'start-from-files', 'read-events', 'verify-webhook']) {
    const { nodes, connections } = workflowOf(name)
    const names = nodes.map((node) => node.name)
    expect(new Set(names).size).toBe(names.length)
    const linked = Object.values(connections).flatMap(({ main }) => main.flat().map(({ node }) => node))
    expect(names).toEqual(expect.arrayContaining([...linked, ...Object.keys(connections)]))
    expect(JSON.stringify(nodes)).not.toMatch(/pk_|credentials/)
  }
})
