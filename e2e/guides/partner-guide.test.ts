import { DEFAULT_LIMITS, ERRORS } from '@quickquote/core'
import { itWith } from '@quickquote/dev-servers/vitest'
import { expect, it } from 'vitest'
import { blocksOf, readGuide, useGuideShell } from './guide-shell.ts'

const STARTED = /^\{"quotation_id":"[0-9a-f-]{36}","status":"queued"\}$/
const MARK = '--- the next block ---'

/** The output of each block, in the order of the guide. */
const PRINTED = [
  STARTED,
  STARTED,
  STARTED,
  /"status":"completed","processed_step":"proposal"/,
  /"progress":\{"completed":5,"total":5\}/,
  /^\{"url":"https:/,
  /^\[\{"id":.*"metadata":\{"crm_deal":"D-1042"\}/,
  /"code":"QUOTATION_ENDED"/,
  /"code":"VALIDATION_FAILED".*"errors":\[\{"pointer":"\/requirementsText"/,
  /^ratelimit-policy: "requests";q=60;w=60\r\nratelimit: "requests";r=\d+;t=\d+\r?$/i,
]

// The rest is tested by packages/client/test/python.slow.test.ts.
const [guide = ''] = (await readGuide('partner-api')).split('## Clients in other languages')
const shell = useGuideShell()

itWith('curl')(
  'every line of the partner guide works, from the start of a quote to its document',
  async () => {
    const script = blocksOf(guide, 'sh').join(`printf '\\n${MARK}\\n'\n`)
    const { stdout, stderr } = await shell.run(script)
    expect(stderr).toBe('')
    const printed = stdout.split(MARK).map((text) => text.trim())
    expect(printed).toEqual(PRINTED.map((pattern) => expect.stringMatching(pattern)))
    const [, refusal = ''] = blocksOf(guide, 'json')
    expect(JSON.parse(printed[8] ?? '')).toEqual({ ...JSON.parse(refusal), instance: expect.any(String) })
    const { url } = JSON.parse(printed[5] ?? '')
    await shell.run(`curl -sS '${url}' -o proposal.pdf`)
    expect((await shell.read('proposal.pdf')).subarray(0, 5).toString()).toBe('%PDF-')
  },
)

itWith('curl')('a key with a line break behind it gets a 400 without a code', async () => {
  const { stdout } = await shell.run(
    `curl -sS "$BASE_URL/v1/integrations/quotations" -H "X-API-Key: $API_KEY\n"`,
  )
  expect(JSON.parse(stdout)).toMatchObject({ statusCode: 400 })
  expect(JSON.parse(stdout)).not.toHaveProperty('code')
})

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
