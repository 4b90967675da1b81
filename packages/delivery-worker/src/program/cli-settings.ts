import { readFileSync } from 'node:fs'
import { ConfigurationError } from '@quickquote/core'
import { BEGIN_CERTIFICATE, givenOptions } from '@quickquote/core/internal'
import { DEFAULT_WORKER_OPTIONS, type DeliveryWorkerOptions } from '../options.ts'

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

function whole(help: string, min: number, max: number, fallback: number | string): Variable<number> {
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

function onOrOff(help: string, fallback: string): Variable<boolean> {
  return {
    help,
    fallback,
    read(text) {
      if (text !== 'on' && text !== OFF) throw new Invalid('must be on or off')
      return text === 'on'
    },
  }
}

const port = whole('', 0, 65_535, HEALTH_PORT)

const VARIABLES = {
  QUICKQUOTE_CONCURRENCY: whole('Concurrent deliveries.', 1, 10_000, DEFAULT_WORKER_OPTIONS.concurrency),
  QUICKQUOTE_POLL_INTERVAL_MS: whole(
    'Milliseconds between polls for work that no notification announced.',
    10,
    DAY_MS,
    DEFAULT_WORKER_OPTIONS.pollIntervalMs,
  ),
  QUICKQUOTE_HEARTBEAT_MS: whole(
    'Milliseconds between heartbeats.',
    10,
    DAY_MS,
    '`lease.heartbeatMs` of the integrations',
  ),
  QUICKQUOTE_DEAD_AFTER_MS: whole(
    'Milliseconds without a heartbeat before other workers take over, or of failures before this worker is not ready.',
    20,
    DAY_MS,
    '`lease.deadAfterMs` of the integrations',
  ),
  QUICKQUOTE_SOCKETS_PER_ORIGIN: whole(
    'Sockets per origin while it responds quickly.',
    1,
    1000,
    DEFAULT_WORKER_OPTIONS.socketsPerOrigin,
  ),
  QUICKQUOTE_PIPELINE_STARTS: onOrOff(
    'on: also starts pipelines. off: only delivers; another worker must start pipelines.',
    'on',
  ),
  QUICKQUOTE_CA_FILE: {
    help: 'A file of certificates (PEM) to trust in addition to the public ones.',
    fallback: '`egress.ca` of the integrations',
    read: readCertificates,
  } satisfies Variable<string>,
  QUICKQUOTE_STOP_DEADLINE_MS: whole(
    'Milliseconds that a stop waits for deliveries and starts in progress.',
    0,
    DAY_MS,
    'the timeout of an attempt plus 2000',
  ),
  QUICKQUOTE_HEALTH_PORT: {
    help: 'Port of GET /health/live and GET /health/ready. 0 picks a free port; off serves neither.',
    fallback: String(HEALTH_PORT),
    read: (text: string) => (text === OFF ? null : port.read(text)),
  } satisfies Variable<number | null>,
  QUICKQUOTE_HEALTH_HOST: {
    help: 'Address of the health port.',
    fallback: 'every address',
    read: (text: string) => text,
  } satisfies Variable<string>,
  QUICKQUOTE_METRICS: onOrOff('on: the health port also serves GET /metrics for Prometheus.', OFF),
}

type Name = keyof typeof VARIABLES
type Values = { [N in Name]?: ReturnType<(typeof VARIABLES)[N]['read']> }

/** One line per variable with its name and default, and one with its description. */
export const VARIABLES_HELP: string = Object.entries(VARIABLES)
  .map(([name, { fallback, help }]) => `  ${name} (${fallback})\n      ${help}`)
  .join('\n')

/**
 * @throws ConfigurationError that names every invalid variable
 */
export function cliSettings(env: Readonly<Record<string, string | undefined>>): CliSettings {
  const values = readVariables(env)
  const healthPort = values.QUICKQUOTE_HEALTH_PORT === undefined ? HEALTH_PORT : values.QUICKQUOTE_HEALTH_PORT
  const { QUICKQUOTE_HEALTH_HOST: host, QUICKQUOTE_METRICS: metrics = false } = values
  return {
    deadlineMs: values.QUICKQUOTE_STOP_DEADLINE_MS,
    options: givenOptions({
      concurrency: values.QUICKQUOTE_CONCURRENCY,
      pollIntervalMs: values.QUICKQUOTE_POLL_INTERVAL_MS,
      heartbeatMs: values.QUICKQUOTE_HEARTBEAT_MS,
      deadAfterMs: values.QUICKQUOTE_DEAD_AFTER_MS,
      socketsPerOrigin: values.QUICKQUOTE_SOCKETS_PER_ORIGIN,
      pipelineStarts: values.QUICKQUOTE_PIPELINE_STARTS,
      ca: values.QUICKQUOTE_CA_FILE,
      health:
        healthPort === null ? undefined : { port: healthPort, metrics, ...(host !== undefined && { host }) },
    }),
  }
}

/** Replaces option names in the worker's errors by their variables. */
export function inWordsOfEnvironment(message: string): string {
  return message.replace(/^createDeliveryWorker: /, '').replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (option) => {
    const name = `QUICKQUOTE_${option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
    return name in VARIABLES ? name : option
  })
}

function readVariables(env: Readonly<Record<string, string | undefined>>): Values {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const text = env[name]?.trim()
    if (text === undefined || text === '') continue
    try {
      values[name] = variable.read(text)
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      problems.push(`${name} ${error.message}.`)
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
