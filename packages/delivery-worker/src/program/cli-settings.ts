import { readFileSync } from 'node:fs'
import { ConfigurationError } from '@quickquote/core'
import { BEGIN_CERTIFICATE, givenOptions } from '@quickquote/core/internal'
import { type DeliveryWorkerOptions, WORKER_OPTIONS } from '../options.ts'

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
  /** @throws Invalid */
  read(text: string): T
}

/** Says what is wrong with a value and what is allowed, but never repeats it: it may be a misplaced secret. */
class Invalid extends Error {}

const DAY_MS = 24 * 60 * 60 * 1000
const OFF = 'off'
const HEALTH_PORT = 8081

function whole(min: number, max: number, fallback: number | string, help: string): Variable<number> {
  return {
    help,
    fallback: String(fallback),
    read(text) {
      const allowed = `a whole number from ${min} to ${max}`
      if (!/^\d+$/.test(text)) throw new Invalid(`is not a whole number; allowed: ${allowed}`)
      const value = Number(text)
      if (value < min) throw new Invalid(`is too small; allowed: ${allowed}`)
      if (value > max) throw new Invalid(`is too large; allowed: ${allowed}`)
      return value
    },
  }
}

function onOrOff(fallback: string, help: string): Variable<boolean> {
  return {
    help,
    fallback,
    read(text) {
      if (text !== 'on' && text !== OFF) throw new Invalid('must be on or off')
      return text === 'on'
    },
  }
}

const { concurrency, socketsPerOrigin } = WORKER_OPTIONS
const port = whole(0, 65_535, HEALTH_PORT, '')

/** Those of an option have its name. */
const VARIABLES = {
  concurrency: whole(1, 10_000, concurrency.default, 'Concurrent deliveries.'),
  pollIntervalMs: whole(
    10,
    DAY_MS,
    '`delivery.pollMs` of the integrations',
    'Milliseconds between polls for work that no notification announced.',
  ),
  heartbeatMs: whole(
    10,
    DAY_MS,
    '`lease.heartbeatMs` of the integrations',
    'Milliseconds between heartbeats.',
  ),
  deadAfterMs: whole(
    20,
    DAY_MS,
    '`lease.deadAfterMs` of the integrations',
    'Milliseconds without a heartbeat before other workers take over, or of failures before this worker is not ready.',
  ),
  socketsPerOrigin: whole(1, 1000, socketsPerOrigin.default, 'Sockets per origin while it responds quickly.'),
  pipelineStarts: onOrOff(
    'on',
    'on: also starts pipelines. off: only delivers; another worker must start pipelines.',
  ),
  caFile: {
    help: 'A file of certificates (PEM) to trust in addition to the public ones.',
    fallback: '`egress.ca` of the integrations',
    read: readCertificates,
  },
  stopDeadlineMs: whole(
    0,
    DAY_MS,
    'the timeout of an attempt plus 2000',
    'Milliseconds that a stop waits for deliveries and starts in progress.',
  ),
  healthPort: {
    help: 'Port of GET /health/live and GET /health/ready. 0 picks a free port; off serves neither.',
    fallback: String(HEALTH_PORT),
    read: (text: string) => (text === OFF ? null : port.read(text)),
  },
  healthHost: {
    help: 'Address of the health port.',
    fallback: 'every address',
    read: (text: string) => text,
  },
  metrics: onOrOff(OFF, 'on: the health port also serves GET /metrics for Prometheus.'),
} satisfies Record<string, Variable<unknown>>

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

/** Replaces option names in the worker's errors by their variables. The host's own options have none. */
export function inWordsOfEnvironment(message: string): string {
  if (!message.startsWith(OWNER)) return message
  return message
    .slice(OWNER.length)
    .replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (option) =>
      Object.hasOwn(VARIABLES, option) ? variableOf(option) : option,
    )
}

function readVariables(env: Readonly<Record<string, string | undefined>>): Values {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const text = env[variableOf(name)]?.trim()
    if (text === undefined || text === '') continue
    try {
      values[name] = variable.read(text)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      problems.push(`${variableOf(name)} ${error.message}.`)
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems.join('\n'))
  return values as Values
}

function readCertificates(path: string): string {
  const text = readText(path)
  if (!text.includes(BEGIN_CERTIFICATE)) {
    throw new Invalid('names a file without a certificate; allowed: a file of PEM certificates')
  }
  return text
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new Invalid(`names a file that cannot be read (${code}); allowed: a file of PEM certificates`)
  }
}
