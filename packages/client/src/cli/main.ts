import { parseArgs } from 'node:util'
import { ApiError, AuthenticationError } from '../errors.ts'
import { isAbort } from '../waiting.ts'
import { listen } from './listen.ts'
import { trigger } from './trigger.ts'
import { UsageError } from './usage-error.ts'

const HELP = `Usage:
  quickquote listen --base-url <url> --forward-to <url> [--types <a,b>] [--after <cursor>]
  quickquote trigger <event type> --to <url>

listen reads the events of your organization and forwards each to a URL on your machine, signed like a webhook.
It takes the API key from QUICKQUOTE_API_KEY, or asks for it.

  --base-url     the address of the service; default QUICKQUOTE_BASE_URL
  --forward-to   where your receiver listens: http://localhost:3000/webhooks
  --types        only these event types, separated by commas
  --after        where to begin: a cursor, an event id, or latest. Default: where it was; the first time, latest

trigger sends a signed example of an event type.

Both:
  --secret-file <file>    sign with the secret in this file. Default: a secret of your own, which is printed
  --header-prefix <name>  the product name in the header names. Default: Service
  --standard-webhooks     send the webhook-* headers of Standard Webhooks, too
  --help
`

/** @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  try {
    const { values, positionals } = parse(argv)
    const [command, ...rest] = positionals
    if (values.help || command === undefined) {
      process.stdout.write(HELP)
      return command === undefined && !values.help ? 2 : 0
    }
    if (command === 'listen' && rest.length === 0) await listen(values, controller.signal)
    else if (command === 'trigger' && rest.length === 1) return await trigger(rest[0] ?? '', values)
    else throw new UsageError(`Unknown command "${positionals.join(' ')}". See quickquote --help.`)
    return 0
  } catch (error) {
    if (isAbort(error)) return 0
    process.stderr.write(`${explain(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
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
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message} See quickquote --help.`)
  }
}

function explain(error: unknown): string {
  if (error instanceof AuthenticationError) return `The API key was refused: ${error.message}`
  if (error instanceof ApiError && error.code === 'CURSOR_EXPIRED') {
    return 'Events after the last position are no longer kept. Start again with --after latest.'
  }
  return error instanceof Error ? error.message : String(error)
}
