import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const built = (path: string) => JSON.stringify(new URL(`../dist/${path}`, import.meta.url).href)

/** Receives a docx while every file descriptor is taken, and again with some free. */
const PROGRAM = `
  const { DEFAULT_LIMITS, silentLogger } = await import(${built('index.js')})
  const { createRequirementsFiles } = await import(${built('files/requirements-file.js')})
  const { openSync, closeSync } = await import('node:fs')
  await import('node:fs/promises')
  const files = createRequirementsFiles(
    {
      files: { put: async (file, bytes) => { for await (const _ of bytes); }, delete: async () => {} },
      uploads: { record: async () => {}, renew: async () => true, abandon: async () => [], forget: async () => {} },
    },
    { limits: DEFAULT_LIMITS, logger: silentLogger, now: () => new Date(), hookTimeoutMs: 1000 },
  )
  const receive = () =>
    files.receive({ organizationId: '0197a000-0000-7000-8000-000000000001', index: 0, name: 'a.docx', bytes: (async function* () { yield Buffer.from('PK') })() })
      .catch((error) => [error.status, error.code, error.cause?.code])
  const taken = []
  try { for (;;) taken.push(openSync('/dev/null')) } catch {}
  const without = await receive()
  for (const descriptor of taken.splice(0, 12)) closeSync(descriptor)
  process.stdout.write(JSON.stringify([without, await receive()]))
`

it.runIf(process.platform === 'linux')(
  'a lack of file descriptors is a 503, not a refusal of the file',
  async () => {
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      'ulimit -n 256; exec "$0" --input-type=module --eval "$1"',
      process.execPath,
      PROGRAM,
    ])
    expect(JSON.parse(stdout)).toEqual([
      [503, 'SERVICE_UNAVAILABLE', 'EMFILE'],
      [400, 'VALIDATION_FAILED', null],
    ])
  },
)
