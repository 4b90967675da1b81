import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'

const receivers = resolve(import.meta.dirname, '../../../../docs/receivers')

/** A receiver of docs/receivers. */
export interface Language {
  readonly name: string
  /** The required commands. */
  readonly needs: readonly string[]
  /** Tries all vectors in one process, and returns its output. */
  readonly run: (input: string) => string
}

function running(command: string, ...parameters: readonly string[]): Language['run'] {
  return (input) =>
    execFileSync(command, parameters, { cwd: receivers, input, encoding: 'utf8', maxBuffer: 1e7 })
}

export const LANGUAGES: readonly Language[] = [
  { name: 'Python', needs: ['python3'], run: running('python3', '-B', 'python/vectors.py') },
  { name: 'Go', needs: ['go'], run: running('go', 'run', 'go/verify.go', 'go/vectors.go') },
  { name: 'Ruby', needs: ['ruby'], run: running('ruby', 'ruby/vectors.rb') },
  { name: 'PHP', needs: ['php'], run: running('php', 'php/vectors.php') },
  { name: 'Java', needs: ['javac', 'java'], run: runJava },
  { name: 'Perl', needs: ['perl'], run: running('perl', 'perl/vectors.pl') },
  { name: 'Shell', needs: ['bash', 'openssl'], run: running('bash', 'shell/vectors.sh') },
]

function runJava(input: string): string {
  const classes = mkdtempSync(join(tmpdir(), 'quickquote-java-'))
  try {
    running('javac', '-Xlint:all', '-Werror', '-d', classes, 'java/Webhooks.java', 'java/Vectors.java')('')
    return running('java', '-Xshare:auto', '-cp', classes, 'Vectors')(input)
  } finally {
    rmSync(classes, { recursive: true })
  }
}

/** One received request. */
export interface Delivery {
  /** The receiver's clock, in Unix seconds. */
  readonly now: number
  readonly timestamp: string
  readonly signature: string
  /** The second signature header of our own scheme. */
  readonly previous?: string
  readonly secrets: readonly string[]
  readonly body: string
  /** `webhook-id`: to verify it as Standard Webhooks. */
  readonly id?: string
}

const MISSING = expect.stringMatching(/^the signing secret is missing or empty/i)
const SURROUNDED = expect.stringMatching(/^the signing secret has white space or quotes around it/i)

/** Mistakes in setting the secret, and what each function says of them. It never shows the secret. */
export const MISCONFIGURED: readonly (readonly [error: unknown, mistake: (secret: string) => string])[] = [
  [MISSING, () => ''],
  [MISSING, () => 'whsec_'],
  [SURROUNDED, (secret) => `${secret}\r`],
  [SURROUNDED, (secret) => ` ${secret}`],
  [SURROUNDED, (secret) => `"${secret}"`],
  [SURROUNDED, (secret) => `'${secret}`],
]

/**
 * The line of a `vectors.*`: the receiver's clock, then in base64 the timestamp, both signatures, the secrets, the body and
 * the `webhook-id`.
 */
function lineOf({ now, timestamp, signature, previous = '', secrets, body, id }: Delivery): string {
  const fields = [timestamp, signature, previous, secrets.join('\n'), body, ...(id === undefined ? [] : [id])]
  return [now, ...fields.map((field) => Buffer.from(field).toString('base64') || '-')].join(' ')
}

/** The verdict of each delivery: `valid`, `refused`, or the error about the secret. */
export function verdictsOf(language: Language, deliveries: readonly Delivery[]): string[] {
  return language
    .run(`${deliveries.map(lineOf).join('\n')}\n`)
    .trimEnd()
    .split('\n')
}

/** The missing commands of a language. Without them tests are skipped; in CI they fail. */
export function missingFor({ needs }: Language): string[] {
  if (process.env['CI'] !== undefined) return []
  return needs.filter((command) => spawnSync('which', [command]).status !== 0)
}
