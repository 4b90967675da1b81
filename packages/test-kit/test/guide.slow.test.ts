import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { useDatabase } from '@quickquote/dev-servers/vitest'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(ROOT, 'docs/guides/testing.md'), 'utf8')
const files = [...page.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', code = '']) => ({
  name,
  code,
}))

const database = useDatabase()

const vitest = (folder: string) =>
  run(join(ROOT, 'node_modules/.bin/vitest'), [
    'run',
    '--root',
    folder,
    '--testTimeout',
    '60000',
    'host.vitest.test.js',
  ])
const nodeTest = (folder: string) =>
  run(process.execPath, ['--test', '--test-reporter=tap', join(folder, 'host.node.test.js')])

it('has the host, and a file for each test runner', () => {
  expect(files.map(({ name }) => name)).toEqual(['host.js', 'host.vitest.test.js', 'host.node.test.js'])
})

it('vitest passes the file of the guide', () => {
  const { status, output } = vitest(folderOf((code) => code))
  expect(output).toMatch(/Tests\s+3 passed/)
  expect(status).toBe(0)
})

it('node:test passes the file of the guide, and exits by itself: nothing is left open', () => {
  const { status, output } = nodeTest(folderOf((code) => code))
  expect(output).toMatch(/^# pass 2$/m)
  expect(status).toBe(0)
})

it('the tests of the guide fail if the host is broken', () => {
  const broken = folderOf((code) =>
    code.replace('start: async (quote) => {}', "start: async () => { throw new Error('no queue') }"),
  )
  expect(vitest(broken).output).toMatch(/pipeline\.start threw for quote .*: no queue/)
  const other = nodeTest(broken)
  expect(other.output).toMatch(/pipeline\.start threw/)
  expect(other.status).not.toBe(0)
})

/** The files of the guide, below this package, where Node finds their imports. */
function folderOf(change: (code: string) => string): string {
  const folder = mkdtempSync(join(import.meta.dirname, '.guide-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const { name, code } of files) writeFileSync(join(folder, name), change(code))
  return folder
}

function run(command: string, args: readonly string[]): { status: number | null; output: string } {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|NODE_TEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(name),
    ),
  )
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 300_000,
    env: {
      ...env,
      NO_COLOR: '1',
      DATABASE_URL: database.url,
      INTEGRATIONS_KEY: Buffer.alloc(32, 1).toString('base64'),
    },
  })
  return { status, output: stdout + stderr }
}
