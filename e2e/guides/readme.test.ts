import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { ACME } from '../../examples/demo/src/members.ts'

/** A minimal host, into which the lines of the README are pasted. */
function hostAround(setUp: string, reports: string): string {
  return `
import { once, EventEmitter } from 'node:events'
import Fastify from 'fastify'
import postgres from 'postgres'

const app = Fastify()
const encryptionKeys = [{ id: 'test', key: Buffer.alloc(32, 1) }]
const resolveSession = async () => ({ memberId: 'me', organizations: [{ id: '${ACME}', role: 'admin' }] })
const handedOver = new EventEmitter()
const pipeline = {
  async start(quote, { report }) {
    for (const step of ['requirement_analysis', 'functional_specification', 'work_breakdown', 'effort_estimation', 'proposal']) {
      await report.stepCompleted(step)
    }
    handedOver.emit('quote', quote.id)
  },
  async signDocumentUrl() {},
}
${setUp}
const handed = once(handedOver, 'quote')
const { quotation_id } = await integrations.quotations.start({
  organizationId: '${ACME}', source: 'ui', body: { requirementsText: 'Tea' },
})
const [quotationId] = await handed
const sql = postgres(process.env.DATABASE_URL, { max: 1 })
await sql.begin(async (tx) => {
${reports}
})
const { status } = await integrations.quotations.get('${ACME}', quotation_id)
const { statusCode } = await app.inject('/v1/integrations/quotations/' + quotation_id)
console.log(JSON.stringify({ status, statusCode }))
await sql.end()
await app.close()
await worker.stop()
await integrations.close()
`
}

it('the lines in the README are all that a host needs', async () => {
  const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8')
  const [setUp = '', reports = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)
  const database = await emptyDatabase()
  onTestFinished(() => database.drop())

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', hostAround(setUp, reports)],
    {
      cwd: resolve(import.meta.dirname, '../../examples/demo'),
      env: { ...process.env, DATABASE_URL: database.url },
    },
  )
  expect(JSON.parse(stdout)).toEqual({ status: 'completed', statusCode: 401 })
})
