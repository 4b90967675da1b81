import { execFileSync, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { bodyOf } from './support/delivery.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const guide = readFileSync(path('../../../docs/guides/receiving-webhooks.md'), 'utf8')

/** Official libraries that CI cannot install. JavaScript's is in packages/delivery-worker/test/standard-webhooks.test.ts. */
const LIBRARIES = [
  {
    language: 'Python',
    program: 'verify.py',
    needs: 'pip',
    install: 'python3 -m pip install --quiet --target packages standardwebhooks',
    run: 'PYTHONPATH=packages python3 verify.py',
  },
  {
    language: 'Go',
    program: 'main.go',
    needs: 'go',
    install: 'go mod init example && go mod tidy && go build -o receiver',
    run: './receiver',
  },
  {
    language: 'Java',
    program: 'Verify.java',
    needs: 'mvn',
    install:
      'mvn -q dependency:build-classpath -Dmdep.outputFile=classpath && javac -cp "$(cat classpath)" -d . Verify.java',
    run: 'java -cp ".:$(cat classpath)" Verify',
  },
] as const

/** The code of the language's row: the package, and the calls. */
function rowOf(language: string): string[] {
  const [, section = ''] = guide.split('### With an official library')
  const line = section.split('\n').find((each) => each.startsWith(`| ${language} |`)) ?? ''
  return [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

it.for(LIBRARIES)(
  "$language: the official library, called as in the guide, verifies with either of a rotation's secrets",
  ({ language, program, needs, install, run }, { skip }) => {
    skip(process.env['CI'] !== undefined, 'CI installs only from Debian and npm')
    skip(spawnSync('which', [needs]).status !== 0, `${needs} is not installed`)
    const folder = mkdtempSync(join(tmpdir(), 'official-library-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [library = '', call = '', next = ''] = rowOf(language)
    const code = readFileSync(path(`programs/libraries/${program}`), 'utf8')
      .replace('__PACKAGE__', library)
      .replace('__CALL__', () => call)
      .replace('__THEN__', () => next)
    writeFileSync(join(folder, program), code)
    if (extname(program) === '.java') cpSync(path('programs/libraries/pom.xml'), join(folder, 'pom.xml'))
    execFileSync('sh', ['-euc', install], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })

    const [older, newer, other] = [3, 4, 5].map(
      (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
    )
    const body = bodyOf('evt_größe')
    const TIMESTAMP = String(Math.floor(Date.now() / 1000))
    const signed = (secret = '') => {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      return `v1,${createHmac('sha256', key).update(`evt_1.${TIMESTAMP}.${body}`).digest('base64')}`
    }
    const SIGNATURES = `${signed(newer)} ${signed(older)}`
    const verdictOn = (SECRET = '', BODY = body) => {
      const env = { ...process.env, SECRET, BODY, ID: 'evt_1', TIMESTAMP, SIGNATURES }
      return execFileSync('sh', ['-euc', run], { cwd: folder, env, encoding: 'utf8' }).trim()
    }
    expect(verdictOn(older)).toMatch(/^valid/)
    expect(verdictOn(newer)).toMatch(/^valid/)
    expect(verdictOn(other)).toMatch(/^refused/)
    expect(verdictOn(newer, `${body} `)).toMatch(/^refused/)
    // With a WSGI environ.
    if (language === 'Python') expect(verdictOn(newer)).toMatch(/refused: Missing required headers$/)
  },
)
