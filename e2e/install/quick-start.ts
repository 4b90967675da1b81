import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '@quickquote/dev-servers'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codeBlocks, links, ROOT } from '../docs/pages.ts'
import { type Installed, published, readManifest, tsc } from './installed.ts'

const page = { path: 'docs/quick-start.md', text: readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8') }
const blocks = (language: string) =>
  codeBlocks(page).flatMap((block) => (block.language === language ? [block.code] : []))
const [install = '', certificate = '', start = '', configure = '', quote = ''] = blocks('sh')

const example = join(ROOT, 'examples/host')
const FILES = ['integrations.js', 'host.js', 'receiver.js']
const [integrations = '', host = '', receiver = ''] = FILES.map(readExample)

function readExample(name: string): string {
  return readFileSync(join(example, name), 'utf8')
}

/** The first JavaScript of a page, which is TypeScript, too. */
function firstSample(path: string): string {
  const blocks = codeBlocks({ path, text: readFileSync(join(ROOT, path), 'utf8') })
  return blocks.find(({ language }) => language === 'js')?.code ?? ''
}

/** The code of a host's tests. */
const TYPED_KIT = `import type { Integrations } from '@quickquote/core'
import { createClock, createTestKit } from '@quickquote/test-kit'
import type { FastifyInstance } from 'fastify'
export const kit = (integrations: Integrations, app: FastifyInstance) =>
  createTestKit({ integrations, app, clock: createClock() })
export { createTables } from '@quickquote/storage-drizzle/schema'
export { Type } from '@quickquote/core/typebox'
`

/** Does not compile, which shows that the compiler checks these files against our types. */
const FAULT = `import { createIntegrations } from '@quickquote/core'
createIntegrations({})
`

/** Prints the stack of a mistake in each bundled package. */
const THROWN = `import { drizzleStorage } from '@quickquote/storage-drizzle'
import { createDeliveryWorker } from '@quickquote/delivery-worker'
import { fastifyIntegrations } from '@quickquote/fastify-integrations'
import Fastify from 'fastify'
const mistakes = [() => drizzleStorage({}), () => createDeliveryWorker({}), () => Fastify().register(fastifyIntegrations, {})]
for (const mistake of mistakes) await Promise.resolve().then(mistake).catch(({ stack }) => console.log(stack))
`

/** A partner's receiver on a laptop, with the secret of `quickquote listen`. */
const LAPTOP = `import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from '@quickquote/webhook-signature'
const server = createServer(async (request, response) => {
  const [secrets] = /whsec_\\S+/.exec(readFileSync('listen.log', 'utf8'))
  const { type } = await verify({ headers: request.headers, body: await buffer(request), secrets })
  console.log('laptop verified', type)
  response.writeHead(204).end()
}).listen(0, '127.0.0.1', () => writeFileSync('laptop.port', String(server.address().port)))
`

/** Without an endpoint, `listen` sends events to the laptop and `trigger` an example. */
const listenScript = (quote: string, port: number) => `
node laptop.js > laptop.log &
LAPTOP=$!
until [ -s laptop.port ]; do sleep 0.2; done
TO=http://127.0.0.1:$(cat laptop.port)/webhooks
QUICKQUOTE_API_KEY=$API_KEY node_modules/.bin/quickquote listen --base-url http://127.0.0.1:${port} --types quotation.completed --forward-to $TO > listen.log &
LISTEN=$!
until ls state/quickquote/position-* > /dev/null 2>&1; do sleep 0.2; done
${quote}
until grep -q -- '->' listen.log; do sleep 0.2; done
node_modules/.bin/quickquote trigger quotation.failed --to $TO
kill -TERM $LISTEN; wait $LISTEN; kill $LAPTOP
cat listen.log laptop.log
`

/** Instead of the app, the worker's program sends webhooks, and the doctor finds that all is well. */
const workerScript = (port: number) => `
QUICKQUOTE_HEALTH_PORT=${port} node_modules/.bin/quickquote-worker ./integrations.js > worker.log &
WORKER=$!
until curl -sf -o /dev/null http://127.0.0.1:${port}/health/ready || ! kill -0 $WORKER; do sleep 0.2; done
node_modules/.bin/quickquote-worker doctor ./integrations.js; echo "doctor ended with $?"
kill -TERM $WORKER; wait $WORKER; echo "worker ended with $?"
`

/** Two free ports instead of those on the page. */
async function onFreePorts(text: string): Promise<{ text: string; ports: [number, number] }> {
  const ports: [number, number] = [await freePort(), await freePort()]
  return { text: text.replaceAll('3000', String(ports[0])).replaceAll('4000', String(ports[1])), ports }
}

/** @param installed beside the packages: Fastify, and the types of Node */
export function quickStartTests(installed: () => Installed): void {
  describe('Installed from their tarballs, the packages', () => {
    it('are those that the page installs and examples/host depends on, in one version', () => {
      const [, list = ''] = /^npm install (.+)$/m.exec(install) ?? []
      expect(list.split(' ').sort()).toEqual(
        Object.keys(Object(readManifest(example)['dependencies'])).sort(),
      )
      const names = ['fastify', ...published.map(({ manifest }) => manifest.name)]
      expect(names).toEqual(expect.arrayContaining(list.split(' ')))
      expect(new Set(published.map(({ manifest }) => manifest.version)).size).toBe(1)
    })

    it('are used by the files of examples/host, which are the code of the page', () => {
      expect(blocks('js')).toEqual([integrations, host, receiver])
    })

    it.each([
      ['node16', tsc],
      ['bundler', tsc],
      // TypeScript 7 has removed it. Many applications have not.
      ['node10', join(ROOT, 'tools/node_modules/.bin/tsc')],
    ])(
      'type-check in strict TypeScript with %s resolution',
      (resolution, tsc) => {
        installed().write('integrations.ts', integrations)
        installed().write('host.ts', host)
        installed().write('receiver.ts', receiver)
        installed().write('kit.ts', TYPED_KIT)
        installed().write('fault.ts', FAULT)
        installed().write('client.ts', firstSample('packages/client/README.md'))
        installed().write('tested-host.ts', firstSample('docs/guides/testing.md'))
        installed().write(
          'tsconfig.json',
          JSON.stringify({
            compilerOptions: {
              module: resolution === 'node16' ? 'node16' : 'esnext',
              moduleResolution: resolution,
              target: 'es2022',
              strict: true,
              exactOptionalPropertyTypes: true,
              // Once with the types that we ship and all their dependencies.
              skipLibCheck: resolution !== 'node16',
              lib: ['es2023'],
              types: ['node'],
              noEmit: true,
            },
            files: ['host.ts', 'receiver.ts', 'kit.ts', 'client.ts', 'tested-host.ts', 'fault.ts'],
          }),
        )
        const compiled = spawnSync(tsc, ['-p', '.'], { cwd: installed().folder, encoding: 'utf8' })
        // Types of our dependencies do not all compile without `skipLibCheck`.
        const reported = compiled.stdout
          .trimEnd()
          .split('\n')
          .filter((line) => !/^\s|^node_modules\/(?!@quickquote\/)/.test(line))
        expect(reported).toEqual([expect.stringContaining('fault.ts(2,20): error TS')])
      },
      600_000,
    )

    it.each(published.map(({ manifest }) => manifest.name))(
      'have a README, whose links lead to files of the repository, and the license: %s',
      (name) => {
        const folder = join(installed().folder, 'node_modules', name)
        const { repository } = readManifest(folder) as unknown as { repository: { directory: string } }
        // Registries resolve a relative link of a README from this folder of the repository.
        const home = join(ROOT, repository.directory)
        const page = { path: 'README.md', text: readFileSync(join(folder, 'README.md'), 'utf8') }
        const targets = links(page).filter((link) => !/^(https:|#)/.test(link))
        expect(links(page).length).toBeGreaterThan(0)
        expect(targets.filter((link) => !existsSync(join(home, link.split('#')[0] ?? '')))).toEqual([])
        expect(readFileSync(join(home, 'README.md'), 'utf8')).toBe(page.text)
        expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(
          readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
        )
      },
    )

    it('need less than fifty lines in a host', () => {
      expect((integrations + host).trimEnd().split('\n').length).toBeLessThan(50)
    })

    it('can be required by CommonJS', () => {
      const names = published.flatMap(({ manifest }) => {
        const { exports } = manifest as unknown as { exports: Record<string, unknown> }
        return (
          Object.keys(exports)
            // An element needs a browser.
            .filter((path) => !path.endsWith('.json') && path !== './element')
            .map((path) => manifest.name + path.slice(1))
        )
      })
      installed().write(
        'required.cjs',
        `for (const name of ${JSON.stringify(names)}) console.log(name, Object.keys(require(name)).length > 0)`,
      )
      const output = execFileSync(process.execPath, ['--no-warnings', 'required.cjs'], {
        cwd: installed().folder,
        encoding: 'utf8',
      })
      expect(output.trim().split('\n')).toEqual(names.map((name) => `${name} true`))
    })

    it('name the file and line of their source in a stack trace', () => {
      installed().write('thrown.js', THROWN)
      const output = execFileSync(process.execPath, ['--enable-source-maps', 'thrown.js'], {
        cwd: installed().folder,
        encoding: 'utf8',
      })
      const named = output.matchAll(/node_modules\/@quickquote\/(\S+\/src\/\S+\.ts):(\d+):\d+\)$/gm)
      const lines = [...named].map(([, file = '', line]) => {
        const source = readFileSync(join(ROOT, 'packages', file), 'utf8').split('\n')
        return `${file}: ${source[Number(line) - 1]?.trim()}`
      })
      for (const line of [
        'core/src/lib/option-check.ts: throw new ConfigurationError(',
        'storage-drizzle/src/connection/connection-string.ts: if (!holds) throw new ConfigurationError(',
        "delivery-worker/src/options.ts: const given = completeOptions('createDeliveryWorker'",
        "fastify-integrations/src/options.ts: const settings = completeOptions('fastifyIntegrations'",
      ])
        expect(lines).toContainEqual(expect.stringContaining(line))
    })

    it('have few dependencies', () => {
      const lock: { packages: Record<string, { dev?: true }> } = JSON.parse(
        readFileSync(join(installed().folder, 'package-lock.json'), 'utf8'),
      )
      const counted = Object.values(lock.packages)
      // Fastify alone has about 50. Packages only for tests come on top.
      expect(counted.filter(({ dev }) => dev !== true).length).toBeLessThan(85)
      expect(counted.length).toBeLessThan(140)
      expect(
        readManifest(join(installed().folder, 'node_modules/@quickquote/webhook-signature'))['dependencies'],
      ).toBeUndefined()
    })

    it('lead a newcomer from the page to the first verified webhook', async () => {
      const { folder, write } = installed()
      const database = await emptyDatabase()
      onTestFinished(database.drop)
      for (const name of FILES) write(name, readExample(name))
      const { text, ports } = await onFreePorts([certificate, start, configure, quote].join('\n'))
      const waitFor = (port: number) =>
        `until curl -sk -o /dev/null http://127.0.0.1:${port}/ || curl -sk -o /dev/null https://127.0.0.1:${port}/; do sleep 0.2; done`
      const script = text
        // The first command of the page waits for it.
        .replace('node host.js &', `PORT=${ports[0]} node host.js > host.log 2>&1 &`)
        .replace(
          'node receiver.js &',
          `PORT=${ports[1]} node receiver.js > receiver.log &\n${waitFor(ports[1])}`,
        )
      write('laptop.js', LAPTOP)
      write('listen.sh', listenScript(quote.replaceAll('3000', String(ports[0])), ports[0]))
      write('worker.sh', workerScript(await freePort()))
      write(
        'run.sh',
        `trap 'kill $(jobs -p)' EXIT\n${script}\nfor _ in $(seq 100); do [ "$(wc -l < receiver.log)" -ge 2 ] && break; sleep 0.2; done\ncat receiver.log\nsource ./listen.sh\nkill -TERM %1; wait %1; echo "host ended with $?"\nsource ./worker.sh`,
      )
      const output = execFileSync('bash', ['run.sh'], {
        cwd: folder,
        env: {
          ...process.env,
          DATABASE_URL: database.url,
          XDG_STATE_HOME: join(folder, 'state'),
          PATH: `${resolve(process.execPath, '..')}:${process.env['PATH']}`,
        },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      expect(output).toMatch(/^HTTP\/1\.1 202/m)
      expect(output.match(/^verified \S+/gm)).toEqual([
        'verified quotation.proposal.completed',
        'verified quotation.completed',
      ])
      expect(output).toMatch(/^quotation\.completed evt_\S+ -> 204/m)
      expect(output.match(/^laptop verified \S+/gm)?.sort()).toEqual([
        'laptop verified quotation.completed',
        'laptop verified quotation.failed',
      ])
      for (const program of ['host', 'doctor', 'worker']) expect(output).toContain(`${program} ended with 0`)
      expect(readFileSync(join(folder, 'host.log'), 'utf8')).not.toMatch(/pk_\w{10}|whsec_/)
    }, 600_000)
  })
}
