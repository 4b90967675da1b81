import { afterEach, beforeAll, expect, it } from 'vitest'
import { EXPECTED_EVENTS } from '../../examples/demo/src/headless-quote.ts'
import { endExamples, runExample, type TemporaryFolder, temporaryFolder } from './example-process.ts'

const TEST_TIMEOUT_MS = 300_000

let folder: TemporaryFolder

beforeAll(async () => {
  folder = await temporaryFolder()
  return folder.remove
})

afterEach(endExamples)

it.each([
  ['the deadline has passed', { DEMO_DEADLINE_MS: '1000' }, undefined],
  ['it is stopped before the end', {}, 'SIGINT'],
] as const)(
  '--once exits 1 and says what is missing when %s',
  async (_, env, signal) => {
    const once = runExample('demo', { DATA_FOLDER: folder.path, PIPELINE_STEP_MS: '3600000', ...env }, [
      '--once',
    ])
    await once.printed(/202 Accepted/)
    expect(await (signal === undefined ? once.exited : once.end(signal))).toBe(1)
    expect(once.output()).toContain(`Missing: ${EXPECTED_EVENTS.join(', ')}, the document.`)
  },
  TEST_TIMEOUT_MS,
)
