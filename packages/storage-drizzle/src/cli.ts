import type { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { ConfigurationError, IntegrationError } from '@quickquote/core'
import { hintAt, version } from '@quickquote/core/internal'
import { MIGRATE_COMMAND, StorageError } from './connection/storage-error.ts'
import { rolesSql } from './migrations/roles.ts'
import { eraseOrganization, exportOrganization } from './organization-commands.ts'
import { DEFAULT_SCHEMA } from './schema-name.ts'
import { type DrizzleStorage, drizzleStorage } from './storage.ts'

const HELP = `Usage: npx @quickquote/storage-drizzle <command> [options]

Commands
  status    list applied and pending migrations; exits with 1 if any are pending
  migrate   apply pending migrations
  plan      print the SQL that migrate would run, so that someone else can run it
  roles     print the SQL for an owner role and a runtime role; needs no database
  erase-organization ID   count what erasing an organization would remove; with --yes, erase it
  export-organization ID  print all data of an organization as JSON lines

Options
  --schema NAME    the SQL schema (default ${DEFAULT_SCHEMA})
  --owner NAME     roles: the role that owns and migrates the schema (default quickquote_owner)
  --runtime NAME   roles: the role of the API and the workers (default quickquote_app)
  --any-engine     also use an engine that only resembles PostgreSQL, at your own risk
  --yes            erase-organization: erase permanently. Workers do this; the command shows their progress
  --keep-audit-log erase-organization: keep the audit log
  --by MEMBER      erase-organization: the member ID for the audit log
  --after POSITION export-organization: continue after the line with this \`position\`
  --help, --version

Set DATABASE_URL to the database: postgres://user:password@host:port/database.
There is no option for it, because other users of the machine can read command lines.
If your host has several databases, separate their URLs by spaces: the command runs on all of them, and an
unavailable one delays no other.

Exit codes: 0 done, or up to date; 1 pending migrations (status); 2 the command failed on a database.
`

const OPTIONS = {
  schema: { type: 'string', default: DEFAULT_SCHEMA },
  owner: { type: 'string', default: 'quickquote_owner' },
  runtime: { type: 'string', default: 'quickquote_app' },
  'any-engine': { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  'keep-audit-log': { type: 'boolean', default: false },
  by: { type: 'string' },
  after: { type: 'string' },
  help: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
} as const

/** An organization may have many rows to count. */
const PATIENT = { statementTimeoutMs: 600_000, callTimeoutMs: 600_000 }

/** The output of a command, and its exit code. */
interface Outcome {
  readonly text: string
  readonly exitCode: number
}

type Values = ReturnType<typeof parse>['values']

/** What a command uses of its process. */
interface CommandProcess {
  readonly env: { readonly [name: string]: string | undefined }
  readonly stdout: Writable
  readonly stderr: Writable
}

/** What a command was called with. */
interface Call {
  readonly values: Values
  /** Of an organization. */
  readonly id: string
  readonly from: CommandProcess
}

type Command = (call: Call) => Promise<Outcome>

const COMMANDS: Readonly<Record<string, Command>> = {
  status: onDatabase(async (storage) => {
    const { applied, pending } = await storage.migrationStatus()
    const lines = [
      ...applied.map((name) => `applied  ${name}`),
      ...pending.map((name) => `pending  ${name}`),
      pending.length === 0 ? 'Up to date.' : `${pending.length} pending. Run \`${MIGRATE_COMMAND}\`.`,
    ]
    return { text: `${lines.join('\n')}\n`, exitCode: pending.length === 0 ? 0 : 1 }
  }),
  migrate: onDatabase(async (storage) => {
    const { pending } = await storage.migrationStatus()
    await storage.migrate()
    return done([...pending.map((name) => `applied  ${name}\n`), 'Up to date.\n'].join(''))
  }),
  plan: onDatabase(async (storage) => done((await storage.migrationPlan()) ?? '-- Nothing is missing.\n')),
  roles: async ({ values: { schema, owner, runtime } }) => done(rolesSql({ schema, owner, runtime })),
}

/** Commands that need the id of an organization. */
const ORGANIZATION_COMMANDS: Readonly<Record<string, Command>> = {
  'erase-organization': onDatabase(async (storage, { values, id, from }) => {
    const { yes, by, 'keep-audit-log': keepAuditLog } = values
    const options = { yes, keepAuditLog, ...(by === undefined ? {} : { by }) }
    return done(await eraseOrganization(storage, id, options, from.stderr))
  }),
  'export-organization': onDatabase(async (storage, { values, id, from }) => {
    await exportOrganization(storage, id, values.after, from.stdout)
    return done('')
  }),
}

/** @returns the exit code */
export async function main(args: readonly string[], from: CommandProcess): Promise<number> {
  try {
    const { text, exitCode } = await run(args, from)
    from.stdout.write(text)
    return exitCode
  } catch (error) {
    from.stderr.write(`${explain(error)}\n`)
    return 2
  }
}

async function run(args: readonly string[], from: CommandProcess): Promise<Outcome> {
  const { values, positionals } = parse(args)
  if (values.help) return done(HELP)
  if (values.version) return done(`${version}\n`)
  const [name = '', id, ...more] = positionals
  const commands = id === undefined ? COMMANDS : ORGANIZATION_COMMANDS
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  // Does not repeat the arguments: one may be a connection string.
  if (command === undefined || more.length > 0) {
    const known = [...Object.keys(COMMANDS), ...Object.keys(ORGANIZATION_COMMANDS)]
    const names = known.map((each) => (each in COMMANDS ? each : `${each} ID`))
    const hint = name === '' || name in COMMANDS ? '' : hintAt(name, known)
    throw new ConfigurationError(`Exactly one command is required: ${names.join(', ')}.${hint} See --help.`)
  }
  return command({ values, id: id ?? '', from })
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch {
    throw new ConfigurationError('Unknown option, or an option without its value. See --help.')
  }
}

function onDatabase(use: (storage: DrizzleStorage, call: Call) => Promise<Outcome>): Command {
  return async (call) => {
    const [first, ...others] = call.from.env['DATABASE_URL']?.trim().split(/\s+/) ?? []
    if (first === undefined || first === '') {
      throw new ConfigurationError(
        'Set the environment variable DATABASE_URL: postgres://user:password@host:port/database',
      )
    }
    return others.length === 0 ? onOne(first, use, call) : onAll([first, ...others], use, call)
  }
}

async function onOne(
  connectionString: string,
  use: (storage: DrizzleStorage, call: Call) => Promise<Outcome>,
  call: Call,
): Promise<Outcome> {
  const { schema, 'any-engine': anyEngine } = call.values
  // Prepared statements gain nothing here, and may fail behind a pooler.
  const storage = drizzleStorage({
    connectionString,
    schema,
    anyEngine,
    maxConnections: 1,
    prepare: false,
    ...PATIENT,
  })
  try {
    return await use(storage, call)
  } finally {
    await storage.close()
  }
}

/** At once: erasing, for example, waits for the workers of each database. */
async function onAll(
  connectionStrings: readonly string[],
  use: (storage: DrizzleStorage, call: Call) => Promise<Outcome>,
  call: Call,
): Promise<Outcome> {
  if (call.values.after !== undefined) {
    throw new ConfigurationError('--after is a position in one database: set DATABASE_URL to that one.')
  }
  const outcomes = await Promise.all(
    connectionStrings.map((each) =>
      onOne(each, use, call).catch((error: unknown) => ({ text: '', exitCode: 2, failure: explain(error) })),
    ),
  )
  for (const [index, outcome] of outcomes.entries()) {
    if ('failure' in outcome) call.from.stderr.write(`Database ${index + 1}: ${outcome.failure}\n`)
  }
  const texts = outcomes.map(({ text }, index) => (text === '' ? '' : `-- Database ${index + 1}\n${text}`))
  return { text: texts.join(''), exitCode: Math.max(...outcomes.map(({ exitCode }) => exitCode)) }
}

function done(text: string): Outcome {
  return { text, exitCode: 0 }
}

/** Our own messages are safe to print. */
function explain(error: unknown): string {
  const isOurs = [ConfigurationError, IntegrationError, StorageError].some((type) => error instanceof type)
  if (error instanceof Error && isOurs) return error.message
  return error instanceof Error ? `Unexpected: ${error.name}: ${error.message}` : 'Unexpected error'
}
