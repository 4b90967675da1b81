import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Program } from './generators/quote.ts'
import { useHost } from './support/host.ts'

const run = promisify(execFile)
const programs = fileURLToPath(new URL('generators', import.meta.url))
const host = useHost({ limits: { startsPerMinute: 100 } })

/** The files of each client, and the command that generates them. */
const GENERATORS: Record<string, string[]> = {
  'openapi-typescript': ['openapi-typescript', 'openapi.json', '-o', 'generated/openapi-typescript.ts'],
  'hey-api': ['openapi-ts', '-i', 'openapi.json', '-o', 'generated/hey-api', '-c', '@hey-api/client-fetch'],
  orval: ['orval', '--config', 'orval.config.js'],
  oazapfts: ['oazapfts', 'openapi.json', 'generated/oazapfts.ts'],
  'swagger-typescript-api': [
    ...[
      'swagger-typescript-api',
      'generate',
      '-p',
      'openapi.json',
      '-o',
      'generated',
      '-n',
      'swagger-typescript-api.ts',
    ],
  ],
}

const isInstalled = process.env['CI'] !== undefined || existsSync(join(programs, 'node_modules'))
/** CI has the older format with Python. */
const DOCUMENTS = process.env['CI'] === undefined ? ['json', 'openapi-3.0.json'] : ['json']
if (!isInstalled) {
  console.log(
    'Skipped: clients of generators. To run them: npx -y pnpm@12.21.0 --dir packages/client/test/generators install --frozen-lockfile',
  )
}

describe.skipIf(!isInstalled).each(DOCUMENTS)('From /api-docs/partners/%s', (name) => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generators-'))
    await cp(programs, folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
    await symlink(join(programs, 'node_modules'), join(folder, 'node_modules'))
    await mkdir(join(folder, 'generated'))
    const document = await (await fetch(`${host().url}/api-docs/partners/${name}`)).text()
    await writeFile(join(folder, 'openapi.json'), document)
    for (const [program = '', ...options] of Object.values(GENERATORS)) {
      const given = options.map((option) => option.replace('openapi.json', 'openapi.json'))
      await run(join(folder, 'node_modules/.bin', program), given, { cwd: folder })
    }
  })

  afterAll(() => rm(folder, { recursive: true }))

  it('every client compiles, strictly', async () => {
    const checked = await run(join(folder, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch(
      ({ stdout }) => ({ stdout }),
    )
    expect(checked.stdout).toBe('')
  })

  it.each(Object.keys(GENERATORS))(
    '%s starts a quote from JSON and from two files, and knows the error',
    async (program) => {
      const bundle = await rolldown({
        input: join(folder, `${program}.ts`),
        platform: 'node',
        logLevel: 'silent',
      })
      await bundle.write({ file: join(folder, `${program}.mjs`) })
      const { program: start } = (await import(pathToFileURL(join(folder, `${program}.mjs`)).href)) as {
        program: Program
      }
      const { partner } = await host().partner()
      const [fromText, fromFiles, code] = await start({ baseUrl: host().url, apiKey: partner.key })
      expect(code).toBe('VALIDATION_FAILED')
      await host().kit.deliver()
      const started = (id: string) => host().started.find((quote) => quote.id === id)
      expect(started(fromText)).toMatchObject({
        files: [],
        metadata: { crm_deal: 'D-1042', lines: [1, 2] },
      })
      expect(started(fromFiles)).toMatchObject({
        files: [{ name: 'a.md' }, { name: 'b.txt' }],
        metadata: { crm_deal: 'D-1043' },
      })
    },
  )
})

interface BrunoItem {
  readonly name: string
  readonly request: {
    readonly headers: readonly { readonly name: string }[]
    readonly params: readonly { readonly name: string; readonly enabled: boolean }[]
    readonly body: { readonly multipartForm: readonly { readonly name: string; readonly type: string }[] }
  }
}

it.skipIf(!isInstalled)(
  'The Postman collection keeps its upload, keys and parameters when Bruno imports it',
  async () => {
    const require = createRequire(join(programs, 'package.json'))
    const { postmanToBruno } = require('@usebruno/converters')
    const collection = await readFile(
      new URL('../../../docs/reference/postman-collection.json', import.meta.url),
      'utf8',
    )
    const converted = await postmanToBruno(JSON.parse(collection))
    const { items, root } = converted.collection ?? converted
    const itemOf = (name: string) =>
      (items as BrunoItem[]).find((each) => each.name === name) ?? expect.fail(name)

    expect(root.request.auth).toMatchObject({
      mode: 'apikey',
      apikey: { key: 'X-API-Key', placement: 'header' },
    })
    const { headers, body } = itemOf('Start a Quick Quote from files').request
    expect(headers.map(({ name }) => name)).toEqual(['Idempotency-Key'])
    expect(body.multipartForm.filter(({ type }) => type === 'file').map(({ name }) => name)).toEqual([
      'files',
      'files',
    ])
    const sent = itemOf('Get the summary of a quotation').request.params.filter(({ enabled }) => enabled)
    expect(sent.map(({ name }) => name)).toEqual(['wait', 'until', 'id'])
    expect(itemOf('Read the events of the organization').request.params.map(({ name }) => name)).toContain(
      'types',
    )
  },
)
