import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate, freePort, startReceiver } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { verify } from '@quickquote/webhook-signature'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../docs/pages.ts'
import type { Installed } from './installed.ts'

const readExample = (name: string) => readFileSync(join(ROOT, 'examples/host', name), 'utf8')

/** The quick start's host, with the portal. */
const HOST = readExample('host.js')
  .replace('import Fastify', "import { fastifyPortal } from '@quickquote/portal'\nimport Fastify")
  .replace(
    'app.addHook',
    "app.register(fastifyPortal, { integrations, resolveSession, prefix: '/portal' })\n$&",
  )

/** CommonJS has no await outside of functions. */
const COMMONJS = HOST.replace(
  /^([\s\S]*?\n\n)([\s\S]*)$/,
  (_, imports, rest) => `${imports}async function main() {\n${rest}}\nmain()\n`,
)

/** In an ES module, Fastify and other CommonJS code that esbuild includes lack `require`. */
const BANNER = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

const tsup = (format: string) => `export default { entry: ['host.js'], outDir: 'bundled', noExternal: [/./],
  format: '${format}', platform: 'node', splitting: false, dts: false, banner: { js: ${JSON.stringify(format === 'esm' ? BANNER : '')} } }`

interface Bundle {
  readonly host: string
  /** The command of npm's \`.bin\` with its arguments. */
  readonly command: readonly string[]
  /** In the folder \`bundled\`. */
  readonly program: string
  /** The configuration of tsup. */
  readonly config?: string
}

const esbuild = (format: string, program: string, ...more: string[]) => [
  ...[
    'esbuild',
    'host.js',
    '--bundle',
    '--platform=node',
    `--format=${format}`,
    `--outfile=bundled/${program}`,
  ],
  ...['--log-level=warning', ...more],
]

const BUNDLES: Readonly<Record<string, Bundle>> = {
  'esbuild, as an ES module': {
    host: HOST,
    command: esbuild('esm', 'host.mjs', `--banner:js=${BANNER}`),
    program: 'host.mjs',
  },
  'esbuild, as CommonJS': { host: COMMONJS, command: esbuild('cjs', 'host.cjs'), program: 'host.cjs' },
  'esbuild, minified': {
    host: COMMONJS,
    command: esbuild('cjs', 'host.cjs', '--minify'),
    program: 'host.cjs',
  },
  'tsup, as an ES module': {
    host: HOST,
    command: ['tsup', '--silent'],
    config: tsup('esm'),
    program: 'host.js',
  },
  'tsup, as CommonJS': {
    host: COMMONJS,
    command: ['tsup', '--silent'],
    config: tsup('cjs'),
    program: 'host.cjs',
  },
  ncc: { host: HOST, command: ['ncc', 'build', 'host.js', '-q', '-o', 'bundled'], program: 'index.js' },
}

const ORGANIZATION = '/v1/organizations/0197a000-0000-7000-8000-000000000001'

/** Hosts that ship one bundled file, without `node_modules`. */
export function bundledTests(installed: () => Installed): void {
  describe('Bundled into one file that runs in an empty folder, the quick start’s host', () => {
    let bundlers: string
    beforeAll(() => {
      bundlers = newFolder()
      writeFileSync(join(bundlers, 'package.json'), '{ "private": true }')
      const packages = ['esbuild@0.28', 'tsup@8', '@vercel/ncc@0.38', 'typescript@5.9']
      execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], {
        cwd: bundlers,
        stdio: 'pipe',
      })
      return () => rmSync(bundlers, { recursive: true, force: true })
    }, 600_000)

    it.each(Object.entries(BUNDLES))(
      'migrates, starts a quote, sends its webhooks and serves its pages: %s',
      async (_, bundle) => {
        const folder = makeBundle(bundle)
        const database = await emptyDatabase()
        const certificate = await createCertificate()
        writeFileSync(join(folder, 'ca.pem'), certificate.cert)
        const receiver = await startReceiver({ certificate })
        const port = await freePort()
        const host = spawn(process.execPath, [bundle.program], {
          cwd: folder,
          env: {
            ...process.env,
            PORT: String(port),
            DATABASE_URL: database.url,
            INTEGRATIONS_KEY: Buffer.alloc(32, 1).toString('base64'),
            NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
          },
        })
        const printed: string[] = []
        for (const stream of [host.stdout, host.stderr])
          stream.setEncoding('utf8').on('data', (text) => printed.push(text))
        const ended = once(host, 'exit')
        onTestFinished(async () => {
          host.kill('SIGKILL')
          await ended
          await receiver.stop()
          await database.drop()
          rmSync(folder, { recursive: true, force: true })
        })
        const { get, post } = clientOf(`http://127.0.0.1:${port}`)
        await expect
          .poll(async () => host.exitCode ?? (await get('/api-docs/json').catch(() => null))?.status)
          .toBe(200)

        for (const page of ['/api-docs', '/portal/']) {
          const html = await (await get(page)).text()
          const [, script = ''] = /<script [^>]*src="([^"]*)"/.exec(html) ?? []
          const path = new URL(script.replace(/^\//, ''), `http://host${page === '/api-docs' ? '/' : page}`)
            .pathname
          const answer = await get(path)
          expect([page, answer.status, answer.headers.get('content-type')]).toEqual([
            page,
            200,
            expect.stringContaining('javascript'),
          ])
        }

        const events = ['quotation.proposal.completed', 'quotation.completed']
        const url = `${receiver.url}/webhooks`
        const { secret } = await post(`${ORGANIZATION}/webhooks`, { name: 'CRM', url, events })
        const { key } = await post(`${ORGANIZATION}/api-keys`, {
          name: 'ERP',
          expires_at: new Date(Date.now() + 86_400_000),
        })
        const body = { requirementsText: 'Customers sign in and see their invoices.' }
        await post('/v1/integrations/quotations', body, { 'X-API-Key': String(key) })
        await receiver.waitFor(events.length)
        const received = await Promise.all(
          receiver.requests.map(({ headers, rawBody }) =>
            verify({ headers, body: rawBody, secrets: String(secret) }),
          ),
        )
        expect(received.map(({ type }) => type).sort()).toEqual(events.toSorted())

        host.kill('SIGTERM')
        expect(await ended, printed.join('')).toEqual([0, null])
        expect(printed.join('')).not.toMatch(/Warning/)
      },
      300_000,
    )

    /** The only files of a new folder. */
    function makeBundle({ host, command: [bundler = '', ...args], config }: Bundle): string {
      const { folder: source, write } = installed()
      rmSync(join(source, 'bundled'), { recursive: true, force: true })
      write('integrations.js', readExample('integrations.js'))
      write('host.js', host)
      if (config !== undefined) write('tsup.config.mjs', config)
      execFileSync(join(bundlers, 'node_modules/.bin', bundler), args, { cwd: source, stdio: 'pipe' })
      const folder = newFolder()
      execFileSync('cp', ['-r', `${join(source, 'bundled')}/.`, folder])
      return folder
    }
  })
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'quickquote-bundled-'))
}

function clientOf(origin: string) {
  return {
    get: (path: string) => fetch(`${origin}${path}`),
    async post(path: string, body: object, headers: Record<string, string> = {}) {
      const response = await fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      expect([path, response.status]).toEqual([path, expect.toBeOneOf([201, 202])])
      return (await response.json()) as Record<string, unknown>
    },
  }
}
