import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { ConfigurationError } from '@quickquote/core'
import { loggableError } from '@quickquote/core/internal'
import { version } from '../version.ts'
import { createDeliveryWorker } from '../worker.ts'
import { type CliSettings, cliSettings, inWordsOfEnvironment, VARIABLES_HELP } from './cli-settings.ts'
import { type HostModule, loadHostModule } from './host-module.ts'

const HELP = `Usage: quickquote-worker [module]

Delivers webhooks, and hands started quotes to the pipeline, until it is told to stop.

module (or QUICKQUOTE_HOST) is a JavaScript module of yours. It exports \`integrations\`, or has a default export: what
createIntegrations() of @quickquote/core returned, a promise of it, or a function that returns it. What it opened
besides can be closed by an export \`close\`.

Environment, with what holds when a variable is not set:
${VARIABLES_HELP}

The first SIGTERM or SIGINT lets what is under way end, within the deadline; the second ends the process at once.
Exit codes: 0 stopped; 1 could not start, or did not stop in time; 2 the command line or the environment is wrong;
128 and the number of the signal after a second signal.

  --help     prints this
  --version  prints the version
`

const EXIT = { failed: 1, misused: 2 } as const

/** What is left of a stop after its deadline, for recording what was broken off and closing connections. */
const LAST_STEPS_MS = 10_000

/** Something of the host's may keep the process alive that has nothing to do any more. */
const LINGER_MS = 1000

await main().catch((error: unknown) => {
  if (error instanceof ConfigurationError) return end(EXIT.misused, inWordsOfEnvironment(error.message))
  // An error of the host's module, or of the database: no more of it than may be logged.
  return end(EXIT.failed, JSON.stringify(loggableError(error)))
})

async function main(): Promise<void> {
  const { module, help, version: wantsVersion } = readArguments()
  if (help) return void process.stdout.write(HELP)
  if (wantsVersion) return void process.stdout.write(`${version}\n`)
  if (module === undefined) {
    throw new ConfigurationError('Which integrations? Name your module: quickquote-worker ./integrations.js')
  }
  const settings = cliSettings(process.env)
  await run(await loadHostModule(module), settings)
}

function readArguments(): { module: string | undefined; help: boolean; version: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
      },
    })
    if (positionals.length > 1) throw new Error('there is one module only')
    return { ...values, module: positionals[0] ?? (process.env['QUICKQUOTE_HOST'] || undefined) }
  } catch (error) {
    throw new ConfigurationError(`${(error as Error).message}. See --help.`)
  }
}

async function run(host: HostModule, { options, deadlineMs }: CliSettings): Promise<void> {
  const { integrations } = host
  const { logger, delivery } = integrations.settings
  const worker = createDeliveryWorker({ ...options, integrations })
  const told = toldToStop(LAST_STEPS_MS + (deadlineMs ?? delivery.timeoutMs))
  await worker.start()
  const signal = await told
  logger.info({ signal }, 'the delivery worker stops')
  await worker.stop(deadlineMs === undefined ? {} : { deadlineMs })
  await integrations.close()
  await host.close()
  setTimeout(() => process.exit(0), LINGER_MS).unref()
}

/** Resolves at the first signal. The process ends by itself at the second one, or when stopping takes too long. */
function toldToStop(withinMs: number): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false
    function onSignal(signal: NodeJS.Signals): void {
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      setTimeout(() => {
        end(EXIT.failed, `It did not stop within ${withinMs} ms. Other workers take over what it held.`)
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
