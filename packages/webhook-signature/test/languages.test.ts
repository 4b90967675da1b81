import { execFileSync, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import vectors from './vectors.json' with { type: 'json' }

const receivers = resolve(import.meta.dirname, '../../../docs/receivers')

interface Language {
  readonly name: string
  /** Commands that have to be there. */
  readonly needs: readonly string[]
  /** Tries all vectors in one process, and gives what it printed. */
  readonly run: (input: string) => string
}

function running(command: string, ...parameters: readonly string[]): Language['run'] {
  return (input) =>
    execFileSync(command, parameters, { cwd: receivers, input, encoding: 'utf8', maxBuffer: 1e7 })
}

const LANGUAGES: readonly Language[] = [
  { name: 'Python', needs: ['python3'], run: running('python3', '-B', 'python/vectors.py') },
  { name: 'Go', needs: ['go'], run: running('go', 'run', 'go/verify.go', 'go/vectors.go') },
  { name: 'Ruby', needs: ['ruby'], run: running('ruby', 'ruby/vectors.rb') },
  { name: 'PHP', needs: ['php'], run: running('php', 'php/vectors.php') },
  { name: 'Java', needs: ['javac', 'java'], run: runJava },
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

interface Vector {
  readonly name: string
  readonly secrets: readonly string[]
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly expected: string
  /** Signed rightly, in a form that verify() refuses: those who look at the signature alone may accept it. */
  readonly fits?: boolean
}

/** What an unset variable would lead to: anybody can sign with an empty secret. */
const emptySecret: Vector = {
  name: 'signed with an empty secret',
  secrets: [''],
  now: 1_795_264_980,
  headers: {
    'X-Service-Timestamp': '1795264980',
    'X-Service-Signature': `v1=${createHmac('sha256', '').update('1795264980.{}').digest('hex')}`,
  },
  body: '{}',
  expected: 'an error',
}
const cases: readonly Vector[] = [...vectors, emptySecret]

/** The line that docs/receivers/README.md describes. */
function lineOf({ now, headers, secrets, body }: Vector): string {
  const names = ['X-Service-Timestamp', 'X-Service-Signature', 'X-Service-Signature-Previous']
  const fields = [...names.map((name) => headers[name] ?? ''), secrets.join('\n'), body]
  return [now, ...fields.map((field) => Buffer.from(field).toString('base64') || '-')].join(' ')
}

/** The snippets look at signature and time; whether the body is an event comes after that. */
function isGenuine({ expected }: Vector): boolean {
  return expected === 'valid' || expected === 'MALFORMED_BODY'
}

const isInstalled = (command: string) => spawnSync('which', [command]).status === 0

it.for(LANGUAGES)(
  '$name: the receiver of the guide agrees with every test vector',
  { timeout: 300_000 },
  (language, { skip }) => {
    // On a developer's machine without the language this is skipped, and says so; CI has to have it.
    const missing = language.needs.filter((command) => !isInstalled(command))
    if (process.env['CI'] === undefined) skip(missing.length > 0, `${missing.join(' and ')} is not installed`)

    const printed = language
      .run(`${cases.map(lineOf).join('\n')}\n`)
      .trimEnd()
      .split('\n')
    const verdicts = cases.map(({ name }, index) => ({ name, verdict: printed[index] }))
    const expected = cases.map((vector, index) => ({
      name: vector.name,
      verdict: vector.fits ? printed[index] : isGenuine(vector) ? 'valid' : 'refused',
    }))
    expect(verdicts).toEqual(expected)
    expect(printed.filter((verdict) => !/^(valid|refused)$/.test(verdict))).toEqual([])
  },
)
