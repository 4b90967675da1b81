import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DEFAULT_LIMITS, ERRORS } from '@quickquote/core'
import { emptyDatabase, itWith } from '@quickquote/dev-servers/vitest'
import { beforeAll, expect, it } from 'vitest'
import { hostSecrets } from '../src/host-secrets.ts'
import { runExample, type TemporaryFolder, temporaryFolder, urlOf } from './example-process.ts'
import { createPartner } from './partner-client.ts'

const STARTED = /^\{"quotation_id":"[0-9a-f-]{36}","status":"queued"\}$/
const MARK = '--- the next block ---'

/** The output of each block, in the order of the guide. */
const PRINTED = [
  STARTED,
  STARTED,
  STARTED,
  /"status":"completed","processed_step":"proposal"/,
  /"progress":\{"completed":5,"total":5\}/,
  /^$/,
  /^\[\{"id":.*"metadata":\{"crm_deal":"D-1042"\}/,
  /"code":"QUOTATION_ENDED"/,
  /"code":"VALIDATION_FAILED".*"errors":\[\{"pointer":"\/requirementsText"/,
  /^ratelimit-policy: "requests";q=60;w=60\r\nratelimit: "requests";r=\d+;t=\d+\r?$/i,
]

let guide: string
let folder: TemporaryFolder
let environment: Record<string, string>

beforeAll(async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../../docs/guides/partner-api.md'), 'utf8')
  // The rest is tested by packages/client/test/python.slow.test.ts.
  guide = page.split('## Clients in other languages')[0] ?? ''
  const database = await emptyDatabase()
  folder = await temporaryFolder()
  const server = runExample('server', {
    DATABASE_URL: database.url,
    DATA_FOLDER: folder.path,
    PIPELINE_STEP_MS: '10',
  })
  const url = await urlOf(server)
  const { apiKey } = await createPartner(url, { url: 'https://crm.example.com/hook' })
  // The example's certificate is self-signed; a partner's curl trusts a real one.
  const { certificate } = await hostSecrets(folder.path)
  await writeFile(join(folder.path, 'ca.pem'), certificate.cert)
  environment = { BASE_URL: url, API_KEY: apiKey, CURL_CA_BUNDLE: join(folder.path, 'ca.pem') }

  return async () => {
    await server.end('SIGTERM')
    await database.drop()
    await folder.remove()
  }
})

function blocksOf(language: string): string[] {
  return [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )
}

itWith('curl')(
  'every line of the partner guide works, from the start of a quote to its document',
  async () => {
    const script = ['set -eu', blocksOf('sh').join(`printf '\\n${MARK}\\n'\n`)].join('\n')
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'], ...environment },
    })
    expect(stderr).toBe('')
    const printed = stdout.split(MARK).map((text) => text.trim())
    expect(printed).toEqual(PRINTED.map((pattern) => expect.stringMatching(pattern)))
    const [, refusal = ''] = blocksOf('json')
    expect(JSON.parse(printed[8] ?? '')).toEqual({ ...JSON.parse(refusal), instance: expect.any(String) })
    expect((await readFile(join(folder.path, 'proposal.pdf'))).subarray(0, 5).toString()).toBe('%PDF-')
  },
)

it('the figures and codes of the partner guide are those of the service', () => {
  const { files, fileBytes, nameLength, descriptionLength, requirementsTextLength, metadataBytes } =
    DEFAULT_LIMITS
  const { requestsPerMinute, startsPerMinute } = DEFAULT_LIMITS
  for (const words of [
    `up to ${files} files of up to ${fileBytes / 1024 / 1024} MiB`,
    `\`requirementsText\` has up to ${requirementsTextLength.toLocaleString('en-US')} characters`,
    `\`name\` (${nameLength}), \`description\` (${descriptionLength.toLocaleString('en-US')})`,
    `${metadataBytes / 1024} KiB`,
    `${requestsPerMinute} requests in any 60 seconds, and of these ${startsPerMinute} starts`,
  ]) {
    expect(guide.replaceAll(/\s+/g, ' ')).toContain(words)
  }
  const known = ['BASE_URL', 'API_KEY', ...Object.keys(ERRORS)]
  const codes = [...guide.matchAll(/[`"]([A-Z]+(?:_[A-Z]+)+)[`"]/g)].map(([, code = '']) => code)
  expect(codes).toContain('VALIDATION_FAILED')
  expect(codes.filter((code) => !known.includes(code))).toEqual([])
})
