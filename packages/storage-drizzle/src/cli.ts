import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { ConfigurationError } from '@quickquote/core'
import { StorageError } from './connection/storage-error.ts'
import { MIGRATE_COMMAND } from './migrate-command.ts'
import { rolesSql } from './migrations/roles.ts'
import { DEFAULT_SCHEMA } from './schema-name.ts'
import { type DrizzleStorage, drizzleStorage } from './storage.ts'

const HELP = `Usage: npx @quickquote/storage-drizzle <command> [options]

Commands
  status    what is applied and what is pending; exit code 1 when something is pending
  migrate   apply what is pending
  plan      print the SQL that migrate would run, for somebody else to apply
  roles     print the SQL for an owner and a runtime role; needs no database

Options
  --schema NAME    the SQL schema (default ${DEFAULT_SCHEMA})
  --owner NAME     roles: owns the schema and migrates it (default quickquote_owner)
  --runtime NAME   roles: API and workers run as it (default quickquote_app)
  --help, --version

The database is the one of the environment variable DATABASE_URL: postgres://user:password@host:port/database.
It is no option, because everybody on the machine can read command lines.

Exit codes: 0 done, or up to date; 1 migrations are pending (status); 2 it did not work.
`

const OPTIONS = {
  schema: { type: 'string', default: DEFAULT_SCHEMA },
  owner: { type: 'string', default: 'quickquote_owner' },
  runtime: { type: 'string', default: 'quickquote_app' },
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
} as const

/** What a command prints, and how it ends. */
interface Outcome {
  readonly text: string
  readonly exitCode: number
}

type Values = ReturnType<typeof parse>['values']

const COMMANDS: Record<string, (values: Values) => Promise<Outcome>> = {
  status: (values) => onDatabase(values, status),
  migrate: (values) => onDatabase(values, migrate),
  plan: (values) => onDatabase(values, plan),
  roles: async ({ schema, owner, runtime }) => done(rolesSql({ schema, owner, runtime })),
}

try {
  const { text, exitCode } = await run(process.argv.slice(2))
  process.stdout.write(text)
  process.exitCode = exitCode
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 2
}

async function run(args: string[]): Promise<Outcome> {
  const { values, positionals } = parse(args)
  if (values.help) return done(HELP)
  if (values.version) {
    const { version } = createRequire(import.meta.url)('../package.json') as { version: string }
    return done(`${version}\n`)
  }
  const [name = '', ...more] = positionals
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  // What was typed is not repeated: it may be a connection string.
  if (command === undefined || more.length > 0) {
    throw new ConfigurationError('One command is needed: status, migrate, plan or roles. See --help.')
  }
  return command(values)
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch {
    throw new ConfigurationError('There is no such option, or its value is missing. See --help.')
  }
}

async function onDatabase(
  { schema }: Values,
  use: (storage: DrizzleStorage) => Promise<Outcome>,
): Promise<Outcome> {
  const connectionString = process.env['DATABASE_URL']
  if (connectionString === undefined || connectionString === '') {
    throw new ConfigurationError(
      'Set the environment variable DATABASE_URL: postgres://user:password@host:port/database',
    )
  }
  // Prepared statements gain nothing here, and a pooler may not know them.
  const storage = drizzleStorage({ connectionString, schema, maxConnections: 1, prepare: false })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

async function status(storage: DrizzleStorage): Promise<Outcome> {
  const { applied, pending } = await storage.migrationStatus()
  const lines = [
    ...applied.map((name) => `applied  ${name}`),
    ...pending.map((name) => `pending  ${name}`),
    pending.length === 0 ? 'Up to date.' : `${pending.length} pending. Run \`${MIGRATE_COMMAND}\`.`,
  ]
  return { text: `${lines.join('\n')}\n`, exitCode: pending.length === 0 ? 0 : 1 }
}

async function migrate(storage: DrizzleStorage): Promise<Outcome> {
  const { pending } = await storage.migrationStatus()
  await storage.migrate()
  return done([...pending.map((name) => `applied  ${name}\n`), 'Up to date.\n'].join(''))
}

async function plan(storage: DrizzleStorage): Promise<Outcome> {
  return done((await storage.migrationPlan()) ?? '-- Nothing is missing.\n')
}

function done(text: string): Outcome {
  return { text, exitCode: 0 }
}

/** Messages of ours are made for everybody's eyes. */
function explain(error: unknown): string {
  if (error instanceof ConfigurationError || error instanceof StorageError) return error.message
  return error instanceof Error ? `Unexpected: ${error.name}: ${error.message}` : 'Unexpected error'
}
