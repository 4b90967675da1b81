import { readFileSync } from 'node:fs'
import { ConfigurationError } from '@quickquote/core'
import { BEGIN_CERTIFICATE, checkNumber, givenOptions, type NumberOption } from '@quickquote/core/internal'
import { type DeliveryWorkerOptions, HEALTH_OPTIONS, OPTIONS } from '../options.ts'

/** The settings of a worker process, from the environment. */
export interface CliSettings {
  readonly options: Omit<DeliveryWorkerOptions, 'integrations'>
  /** The stop deadline in milliseconds. undefined: the worker's default. */
  readonly deadlineMs: number | undefined
}

interface Variable<T> {
  readonly help: string
  /** The default, for the help. */
  readonly fallback: string
  /** @throws ConfigurationError that begins with the name. It repeats no value: that may be a misplaced secret. */
  read(name: string, text: string): T
}

const DAY_MS = 24 * 60 * 60 * 1000
const OFF = 'off'
const HEALTH_PORT = 8081

function numberOf(row: NumberOption, help: string, fallback = String(row.default)): Variable<number> {
  return {
    help,
    fallback,
    read(name, text) {
      // `Number` also reads `1e3` and `0x10`.
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
      checkNumber(name, value, row)
      return value
    },
  }
}

function onOrOff(row: { readonly default: boolean }, help: string): Variable<boolean> {
  return {
    help,
    fallback: row.default ? 'on' : OFF,
    read(name, text) {
      if (text !== 'on' && text !== OFF) throw new ConfigurationError(`${name} must be on or off.`)
      return text === 'on'
    },
  }
}

const port = numberOf(HEALTH_OPTIONS.port, '')

/** By their names in camel case: most are the names of options. */
const VARIABLES = {
  concurrency: numberOf(OPTIONS.concurrency, 'Concurrent deliveries.'),
  pollIntervalMs: numberOf(
    OPTIONS.pollIntervalMs,
    'Milliseconds between polls for work that no notification announced.',
    '`delivery.pollMs` of the integrations',
  ),
  heartbeatMs: numberOf(
    OPTIONS.heartbeatMs,
    'Milliseconds between heartbeats.',
    '`lease.heartbeatMs` of the integrations',
  ),
  deadAfterMs: numberOf(
    OPTIONS.deadAfterMs,
    'Milliseconds without a heartbeat before other workers take over, or of failures before this worker is not ready.',
    '`lease.deadAfterMs` of the integrations',
  ),
  socketsPerOrigin: numberOf(OPTIONS.socketsPerOrigin, 'Sockets per origin while it responds quickly.'),
  pipelineStarts: onOrOff(
    OPTIONS.pipelineStarts,
    'on: also starts pipelines. off: only delivers; another worker must start pipelines.',
  ),
  caFile: {
    help: 'A file of certificates (PEM) to trust in addition to the public ones.',
    fallback: '`egress.ca` of the integrations',
    read: readCertificates,
  },
  // No option of the worker, but of its `stop`, whose timers add to it.
  stopDeadlineMs: numberOf(
    { min: 0, max: DAY_MS },
    'Milliseconds that a stop waits for deliveries and starts in progress.',
    'the timeout of an attempt plus 2000',
  ),
  healthPort: {
    help: 'Port of GET /health/live and GET /health/ready. 0 picks a free port; off serves neither.',
    fallback: String(HEALTH_PORT),
    read: (name: string, text: string) => (text === OFF ? null : port.read(name, text)),
  },
  healthHost: {
    help: 'Address of the health port.',
    fallback: 'every address',
    read: (_name: string, text: string) => text,
  },
  metrics: onOrOff(HEALTH_OPTIONS.metrics, 'on: the health port also serves GET /metrics for Prometheus.'),
} satisfies Record<string, Variable<unknown>>

/** The options whose variables have other names. */
const RENAMED: ReadonlyMap<string, keyof typeof VARIABLES> = new Map([
  ['ca', 'caFile'],
  ['health.port', 'healthPort'],
  ['health.host', 'healthHost'],
  ['health.metrics', 'metrics'],
])

type Values = { [N in keyof typeof VARIABLES]?: ReturnType<(typeof VARIABLES)[N]['read']> }

/** `pollIntervalMs` is `QUICKQUOTE_POLL_INTERVAL_MS`. */
function variableOf(name: string): string {
  return `QUICKQUOTE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** One line per variable with its name and default, and one with its description. */
export const VARIABLES_HELP: string = Object.entries(VARIABLES)
  .map(([name, { fallback, help }]) => `  ${variableOf(name)} (${fallback})\n      ${help}`)
  .join('\n')

/**
 * @throws ConfigurationError that names every invalid variable
 */
export function cliSettings(env: Readonly<Record<string, string | undefined>>): CliSettings {
  const { caFile: ca, stopDeadlineMs: deadlineMs, ...values } = readVariables(env)
  const { healthPort = HEALTH_PORT, healthHost, metrics = false, ...options } = values
  const health =
    healthPort === null ? undefined : { port: healthPort, metrics, ...givenOptions({ host: healthHost }) }
  return { deadlineMs, options: { ...options, ...givenOptions({ ca, health }) } }
}

const OWNER = 'createDeliveryWorker: '

/** An error of the worker, with the variables of its options. Errors of the host's own options have none. */
export function inWordsOfEnvironment(message: string): string {
  if (!message.startsWith(OWNER)) return message
  const [option = '', ...words] = message.slice(OWNER.length).split(' ')
  // Elsewhere only names in camel case: `ca` and `concurrency` are also words.
  const others = words.map((word) => word.replace(/^[a-z]+[A-Z]\w*/, nameInEnvironment))
  return [nameInEnvironment(option), ...others].join(' ')
}

function nameInEnvironment(option: string): string {
  const name = RENAMED.get(option) ?? option
  return Object.hasOwn(VARIABLES, name) ? variableOf(name) : option
}

function readVariables(env: Readonly<Record<string, string | undefined>>): Values {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries<Variable<unknown>>(VARIABLES)) {
    const text = env[variableOf(name)]?.trim()
    if (text === undefined || text === '') continue
    try {
      values[name] = read(variableOf(name), text)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'))
  return values as Values
}

function readCertificates(name: string, path: string): string {
  const text = readText(name, path)
  if (!text.includes(BEGIN_CERTIFICATE)) {
    throw new ConfigurationError(`${name} must name a file of PEM certificates. This one has none.`)
  }
  return text
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new ConfigurationError(
      `${name} must name a file of PEM certificates. This one cannot be read (${code}).`,
    )
  }
}
