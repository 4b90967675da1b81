import { resolve } from 'node:path'

/** The settings of the example, from the environment. */
export interface HostSettings {
  /** PostgreSQL. It contains a password: never print it. */
  readonly databaseUrl: string
  /** Shared rate limits of all instances; null: each counts for itself. It may contain a password. */
  readonly redisUrl: string | null
  /** The folder for keys, the certificate and the embedded database. */
  readonly dataFolder: string
  /** The port of the API: plain HTTP on the loopback address. 0: any free port. */
  readonly port: number
  /** Where clients reach the API, such as a gateway's URL; null: at the loopback address. */
  readonly publicUrl: string | null
  /** The port of the same app over HTTPS, for links to documents. 0: any free port. */
  readonly httpsPort: number
  /** Milliseconds per step of the simulated pipeline. */
  readonly stepMs: number
  /** Milliseconds before the first retry of a webhook. Each further wait is four times longer. */
  readonly retryMs: number
  /** Whether the server runs a delivery worker in its own process. */
  readonly runsWorker: boolean
  /** Whether quotations and proposals are in the host's own tables. */
  readonly ownQuotations: boolean
  readonly logLevel: string
}

/** The settings of the demo, which can start its own database. */
export interface DemoSettings extends Omit<HostSettings, 'databaseUrl'> {
  /** Milliseconds for the webhooks and the document of the demo's quote to arrive. */
  readonly deadlineMs: number
}

/** `.data` at the root of the repository, which git ignores. */
const DEFAULT_DATA_FOLDER = resolve(import.meta.dirname, '../../../.data')

/**
 * @throws Error for a missing or invalid variable; the message never contains a value
 */
export function hostSettings(env: NodeJS.ProcessEnv): HostSettings {
  return { ...commonSettings(env), databaseUrl: required(env, 'DATABASE_URL') }
}

/**
 * @throws Error for an invalid variable
 */
export function demoSettings(env: NodeJS.ProcessEnv): DemoSettings {
  return { ...commonSettings(env), deadlineMs: wholeNumber(env, 'DEMO_DEADLINE_MS', 60_000) }
}

function commonSettings(env: NodeJS.ProcessEnv): Omit<HostSettings, 'databaseUrl'> {
  return {
    dataFolder: resolve(env['DATA_FOLDER'] || DEFAULT_DATA_FOLDER),
    redisUrl: env['REDIS_URL'] || null,
    port: wholeNumber(env, 'PORT', 0),
    publicUrl: env['PUBLIC_URL'] || null,
    httpsPort: wholeNumber(env, 'HTTPS_PORT', 0),
    stepMs: wholeNumber(env, 'PIPELINE_STEP_MS', 400),
    retryMs: wholeNumber(env, 'RETRY_MS', 2000),
    runsWorker: env['RUN_WORKER'] !== 'false',
    ownQuotations: env['OWN_QUOTATIONS'] === 'true',
    logLevel: env['LOG_LEVEL'] || 'info',
  }
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name]
  if (value === undefined || value === '') throw new Error(`Set ${name}.`)
  return value
}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const value = env[name]
  if (value === undefined || value === '') return fallback
  if (!/^\d+$/.test(value)) throw new Error(`${name} must be a whole number, 0 or more.`)
  return Number(value)
}
