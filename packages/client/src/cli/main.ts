import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { ApiError, AuthenticationError } from '../errors.ts'
import { isAbort } from '../waiting.ts'
import { listen } from './listen.ts'
import { printable } from './print.ts'
import { trigger } from './trigger.ts'
import { quoted, UsageError } from './usage-error.ts'

const HELP = `Usage:
  quickquote listen --base-url <url> --forward-to <url> [--types <a,b>] [--after <cursor>]
  quickquote trigger <event type> --to <url>

listen reads your organization's events and forwards each one to a URL on your machine, signed like a webhook.
It reads the API key from QUICKQUOTE_API_KEY, or prompts for it.

  --base-url     address of the service (default: QUICKQUOTE_BASE_URL)
  --forward-to   address of your receiver, such as http://localhost:3000/webhooks
  --types        event types to forward, separated by commas (default: all)
  --after        where to start: a cursor, an event ID or latest (default: where it stopped; the first time, latest)

trigger sends one signed example of an event type.

Options for both:
  --secret-file <file>    sign with the secret in this file (default: a new secret, which is printed)
  --header-prefix <name>  product name in the header names (default: Service)
  --standard-webhooks     also send the webhook-* headers of Standard Webhooks
  --help                  show this help
  --version               show the version
`

/** @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  try {
    const { values, positionals } = parse(argv)
    const [command, ...rest] = positionals
    if (values.version) {
      const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }
      process.stdout.write(`${version}\n`)
      return 0
    }
    if (values.help || command === undefined) {
      process.stdout.write(HELP)
      return command === undefined && !values.help ? 2 : 0
    }
    return await runCommand(command, rest, values, controller.signal)
  } catch (error) {
    if (isAbort(error)) return 0
    process.stderr.write(`${explain(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function runCommand(
  command: string,
  rest: readonly string[],
  values: ReturnType<typeof parse>['values'],
  signal: AbortSignal,
): Promise<number> {
  if (command !== 'listen' && command !== 'trigger') {
    throw new UsageError(`Unknown command ${quoted(command)}. See quickquote --help.`)
  }
  const most = command === 'trigger' ? 1 : 0
  if (rest.length > most) {
    throw new UsageError(
      `Too many arguments for ${command}. The API key belongs in QUICKQUOTE_API_KEY. See quickquote --help.`,
    )
  }
  if (command === 'listen') {
    await listen(values, signal)
    return 0
  }
  const [type] = rest
  if (type === undefined) throw new UsageError('The event type is missing. See quickquote --help.')
  return await trigger(type, values)
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        'base-url': text,
        'forward-to': text,
        types: text,
        after: text,
        to: text,
        'secret-file': text,
        'header-prefix': text,
        'standard-webhooks': { type: 'boolean' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    })
  } catch (error) {
    const message = (error as Error).message.replaceAll(/(pk_|whsec_)[^\s']*/g, '$1…')
    throw new UsageError(`${message} See quickquote --help.`)
  }
}

function explain(error: unknown): string {
  if (error instanceof AuthenticationError) return `The API key was refused: ${printable(error.message)}`
  if (error instanceof ApiError && error.code === 'CURSOR_EXPIRED') {
    return 'Events after the last position are no longer kept. Start again with --after latest.'
  }
  if (error instanceof UsageError) return error.message
  return printable(error instanceof Error ? error.message : String(error))
}
