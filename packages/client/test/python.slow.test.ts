import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { DOCUMENT, useHost } from './support/host.ts'

const host = useHost()
const run = promisify(execFile)
const programs = fileURLToPath(new URL('programs', import.meta.url))
const guide =
  readFileSync(new URL('../../../docs/guides/partner-api.md', import.meta.url), 'utf8').split(
    '## Clients in other languages',
  )[1] ?? ''

/** openapi-generator 7.0.0 from Maven Central, with this checksum. */
const GENERATOR = process.env['OPENAPI_GENERATOR']
const SHA256 = '80e8e9d71bdbdf513b8c65cf7d3fc2fe3d88aaeb4e39a2c6e20831f00032c775'
/** Debian's Python has Debian's modules. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** The programs and modules that are not installed. */
function missing(): string[] {
  const commands = ['java', 'mypy', 'curl'].filter((each) => spawnSync('which', [each]).status !== 0)
  const modules = ['pydantic', 'urllib3', 'dateutil'].filter(
    (each) => spawnSync(PYTHON, ['-c', `import ${each}`]).status !== 0,
  )
  const generator = GENERATOR === undefined ? ['a path in OPENAPI_GENERATOR'] : []
  return [...generator, ...commands, ...modules.map((each) => `${each} for Python`)]
}

function blockOf(language: string): string {
  const [, block = ''] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide) ?? []
  return block
}

/** A folder with the client that the guide generates. */
async function generate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-python-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'bin'))
  const command = '#!/bin/sh\nexec java -jar "$OPENAPI_GENERATOR" "$@"\n'
  await writeFile(join(folder, 'bin/openapi-generator'), command, { mode: 0o755 })
  const PATH = `${join(folder, 'bin')}:${process.env['PATH']}`
  const environment = { ...process.env, PATH, BASE_URL: host().url }
  await run('sh', ['-euc', blockOf('sh')], { cwd: folder, env: environment, maxBuffer: 1e8 })
  for (const file of ['journey.py', 'mypy.ini', 'requirements.md']) {
    await cp(join(programs, file), join(folder, file))
  }
  return folder
}

it('A Python client generated from the OpenAPI document passes type checks and the whole journey', async ({
  skip,
}) => {
  // A developer's machine without them skips this; CI must have them.
  if (process.env['CI'] === undefined) skip(missing().length > 0, `There is no ${missing().join(', no ')}`)
  expect(missing()).toEqual([])
  expect(
    createHash('sha256')
      .update(readFileSync(`${GENERATOR}`))
      .digest('hex'),
  ).toBe(SHA256)
  const folder = await generate()

  await writeFile(join(folder, 'sample.py'), blockOf('python'))
  const checked = ['journey.py', 'sample.py', 'quickquote']
  const check = await run('mypy', ['--python-executable', PYTHON, '--config-file', 'mypy.ini', ...checked], {
    cwd: folder,
  }).catch(({ stdout, stderr }) => ({ stdout, stderr }))
  expect(`${check.stdout}${check.stderr}`).toMatch(/^Success: no issues found in \d+ source files\n$/)

  const { partner } = await host().partner()
  const env = { ...process.env, BASE_URL: host().url, API_KEY: partner.key }
  const sample = await run(PYTHON, ['-B', 'sample.py'], { cwd: folder, env })
  expect(sample).toEqual({ stdout: 'queued\n', stderr: '' })

  const child = spawn(PYTHON, ['-B', 'journey.py'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const over = Promise.all([text(child.stderr), once(child, 'close')])
  const printed: string[] = []
  for await (const line of createInterface(child.stdout)) {
    printed.push(line)
    if (!line.startsWith('[')) continue
    await host().kit.deliver()
    for (const id of JSON.parse(line)) {
      await partner.quote(id).complete(undefined, { name: 'Offer', documentId: DOCUMENT })
    }
  }
  const [errors, [code]] = await over
  expect([errors, code]).toEqual(['', 0])
  expect(printed.at(-1)).toBe('done')
  const quotes = host().started.filter((quote) => quote.organization_id === partner.organizationId)
  expect(quotes.map(({ files }) => files.length).sort()).toEqual([0, 0, 1, 2])
})
