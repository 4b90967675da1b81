import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { ConfigurationError } from '@quickquote/core'
import { isHttpUrl, loggableError, version } from '@quickquote/core/internal'
import { examine } from '../doctor/doctor.ts'
import type { Finding } from '../doctor/finding.ts'
import { createDeliveryWorker } from '../worker.ts'
import { type CliSettings, cliSettings, inWordsOfEnvironment, VARIABLES_HELP } from './cli-settings.ts'
import { type HostModule, loadHostModule } from './host-module.ts'
import { startWorkers } from './workers.ts'

const HELP = `Usage: quickquote-worker [module]
       quickquote-worker doctor [module] [--json] [--url URL]

Delivers webhooks and starts pipelines until it is stopped.

module (or QUICKQUOTE_HOST) is your JavaScript module. Its export \`integrations\`, or its default export, is the result
of createIntegrations() of @quickquote/core, a promise of it, or a function that returns it. The worker calls the export
\`close\`, if there is one, before it exits. With several databases, export a list: each gets a worker, and an
unavailable one delays no other. /health/ready is then 200 if any of them is ready.

doctor looks for problems and changes nothing. It checks the database, migrations, rights, notifications, encryption keys,
workers, clocks, certificates, the oldest due delivery and the days of history. Run it on a worker's machine, with the
worker's environment.

Options
  --json     doctor: print the findings as JSON
  --url URL  doctor: also check the hooks of a running app at this address (include the plugin's prefix)
  --help     print this help
  --version  print the version

Environment variables, with their defaults
${VARIABLES_HELP}

The first SIGTERM or SIGINT stops the worker gracefully, within the deadline; the second ends the process at once.
Exit codes: 0 stopped; 1 could not start, or did not stop in time; 2 invalid command line or environment;
128 plus the number of the signal after a second signal. doctor: 0 no problems; 1 problems found; 2 could not check.
`

const EXIT = { failed: 1, misused: 2 } as const

/** Time after the stop deadline for recording aborted attempts and closing connections. */
const LAST_STEPS_MS = 10_000

/** The host may leave something open that keeps the process alive. */
const LINGER_MS = 1000

await main().catch((error: unknown) => {
  if (error instanceof ConfigurationError) return end(EXIT.misused, inWordsOfEnvironment(error.message))
  // An error of the host's module or of the database: prints only what is safe to log.
  return end(EXIT.failed, JSON.stringify(loggableError(error)))
})

async function main(): Promise<void> {
  const { isDoctor, module, help, version: wantsVersion, json, url } = readArguments()
  if (help) return void process.stdout.write(HELP)
  if (wantsVersion) return void process.stdout.write(`${version}\n`)
  if (module === undefined) {
    throw new ConfigurationError('No module given. Usage: quickquote-worker ./integrations.js')
  }
  const settings = cliSettings(process.env)
  if (!isDoctor) return run(await loadHostModule(module), settings)
  process.exitCode = await runDoctor(await loadHostModule(module), settings, { json, url })
  setTimeout(() => process.exit(), LINGER_MS).unref()
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
        json: { type: 'boolean', default: false },
        url: { type: 'string' },
      },
    })
    const isDoctor = positionals[0] === 'doctor'
    const modules = positionals.slice(isDoctor ? 1 : 0)
    if (modules.length > 1) throw new Error('Only one module is allowed')
    const { json, url } = values
    if (!isDoctor && (json || url !== undefined)) throw new Error('--json and --url are options of doctor')
    if (url !== undefined && !isHttpUrl(url)) {
      throw new Error('--url needs an address, such as https://api.example.com')
    }
    return { ...values, url, isDoctor, module: modules[0] ?? (process.env['QUICKQUOTE_HOST'] || undefined) }
  } catch (error) {
    throw new ConfigurationError(`${(error as Error).message}. See --help.`)
  }
}

async function run(host: HostModule, { options, deadlineMs }: CliSettings): Promise<void> {
  const [{ settings }, ...others] = host.databases
  const told = toldToStop(LAST_STEPS_MS + (deadlineMs ?? settings.delivery.timeoutMs))
  const workers = await (others.length === 0
    ? startWorker(host, options)
    : startWorkers(host.databases, options))
  const signal = await told
  settings.logger.info({ signal }, 'the delivery worker is stopping')
  await workers.stop(deadlineMs === undefined ? {} : { deadlineMs })
  await close(host)
  setTimeout(() => process.exit(0), LINGER_MS).unref()
}

async function startWorker({ databases: [integrations] }: HostModule, options: CliSettings['options']) {
  const worker = createDeliveryWorker({ ...options, integrations })
  await worker.start()
  return worker
}

async function close({ databases, close }: HostModule): Promise<void> {
  await Promise.all(databases.map((integrations) => integrations.close()))
  await close()
}

/** @returns the exit code */
async function runDoctor(
  host: HostModule,
  { options }: CliSettings,
  { json, url }: { json: boolean; url: string | undefined },
): Promise<number> {
  const isOne = host.databases.length === 1
  const examined = await Promise.all(
    host.databases.map(async (integrations, index) => {
      const { lease, delivery } = integrations.settings
      const worker = { pollIntervalMs: delivery.pollMs, ...lease, ...options }
      const findings = await examine({ integrations, worker, appUrl: index === 0 ? url : undefined })
      return findings.map((each): Found => (isOne ? each : { database: index + 1, ...each }))
    }),
  )
  const findings = examined.flat()
  process.stdout.write(json ? `${JSON.stringify({ findings }, null, 2)}\n` : findings.map(lineOf).join(''))
  await close(host)
  return findings.every(({ level }) => level === 'ok') ? 0 : EXIT.failed
}

/** `database`: its position, if there are several. */
type Found = Finding & { readonly database?: number }

function lineOf({ level, message, database }: Found): string {
  return `${level.padEnd(7)}  ${database === undefined ? '' : `Database ${database}: `}${message}\n`
}

/** Resolves at the first signal. The process exits at the second one, or if stopping takes too long. */
function toldToStop(withinMs: number): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false
    function onSignal(signal: NodeJS.Signals): void {
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      setTimeout(() => {
        end(
          EXIT.failed,
          `The worker did not stop within ${withinMs} ms. Other workers take over its deliveries and starts.`,
        )
      }, withinMs).unref()
      resolve(signal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

function end(code: number, message: string): never {
  process.stderr.write(`quickquote-worker: ${message}\n`)
  process.exit(code)
}
