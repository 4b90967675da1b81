import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { SECRET } from './delivery.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const receivers = path('../../../../docs/receivers')
const programs = path('../programs/frameworks')
const guide = readFileSync(path('../../../../docs/guides/receiving-webhooks.md'), 'utf8')

/** Debian's Python has Debian's modules. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** A program that receives webhooks with the code of a row of the guide, at `/hook`. */
export interface Framework {
  readonly name: string
  /** The row's framework. Default: the name. */
  readonly row?: string
  /** In `programs/frameworks`, with `__RAW_BODY__` and others for the row's code. */
  readonly program: string
  /** Starts the program, as `receiver.*` in a folder of its own. */
  readonly command: readonly string[]
  /** Succeeds if everything is installed. */
  readonly probe: readonly string[]
  /** Files beside the program. */
  readonly beside?: readonly string[]
  /** Its packages are from Maven, so not in CI. */
  readonly isFromMaven?: boolean
  /** Imports what npm has installed. */
  readonly isFromNpm?: boolean
}

const python = (name: string, program: string, modules = program): Framework => ({
  name,
  program: `${program}.py`,
  command: [PYTHON, '-B', 'receiver.py'],
  probe: [PYTHON, '-c', `import ${modules}`],
})

const ruby = (name: string, program: string, libraries: readonly string[], row = name): Framework => ({
  name,
  row,
  program: `${program}.rb`,
  command: ['ruby', '-I', join(receivers, 'ruby'), 'receiver.rb'],
  probe: ['ruby', ...libraries.flatMap((library) => ['-r', library]), '-e', ''],
})

const php = (name: string, program: string, probe: string): Framework => ({
  name,
  program: `${program}.php`,
  command: ['php', '-S', '127.0.0.1:0', 'receiver.php'],
  probe: ['php', '-r', probe],
})

/** The packages of npm that the programs import. */
export const PACKAGES = [
  'koa@3.3.0',
  '@hapi/hapi@21.4.10',
  '@nestjs/core@11.2.10',
  '@nestjs/common@11.2.10',
  '@nestjs/platform-express@11.2.10',
  'reflect-metadata@0.2.2',
  'rxjs@7.8.2',
  'restify@11.1.0',
]

const node = (name: string, program: string): Framework => ({
  name,
  program: `${program}.mjs`,
  command: [process.execPath, 'receiver.mjs'],
  probe: [process.execPath, '--version'],
  isFromNpm: true,
})

const SPRING = `
  mvn -q dependency:build-classpath -Dmdep.outputFile=classpath
  javac -parameters -cp "$(cat classpath)" -d . receiver.java Webhooks.java
  exec java -cp ".:$(cat classpath)" Receiver`

export const FRAMEWORKS: readonly Framework[] = [
  python('Flask', 'flask'),
  python('Django', 'django'),
  python('FastAPI', 'fastapi', 'fastapi, uvicorn'),
  python('aiohttp', 'aiohttp'),
  {
    name: 'net/http',
    program: 'main.go',
    command: ['go', 'run', 'receiver.go', 'verify.go'],
    probe: ['go', 'version'],
    beside: [join(receivers, 'go/verify.go')],
  },
  ruby('Rails', 'rails', ['puma', 'logger', 'rails', 'action_controller/railtie']),
  ruby('Rack', 'rack', ['puma', 'rack'], 'Rack, Sinatra'),
  ruby('Sinatra', 'sinatra', ['puma', 'sinatra/base'], 'Rack, Sinatra'),
  php('none', 'none', ''),
  php('Laravel', 'laravel', "require 'Illuminate/autoload.php';"),
  {
    name: 'Spring',
    program: 'spring/Receiver.java',
    command: ['sh', '-euc', SPRING],
    probe: ['mvn', '--version'],
    beside: [join(programs, 'spring/pom.xml'), join(receivers, 'java/Webhooks.java')],
    isFromMaven: true,
  },
  {
    name: 'Mojolicious',
    program: 'mojolicious.pl',
    command: ['perl', 'receiver.pl'],
    probe: ['perl', '-MMojolicious', '-e', ''],
  },
  node('Koa', 'koa'),
  node('hapi', 'hapi'),
  node('Nest', 'nest'),
]

/** Restify is not in the guide: it takes the handler for Express. */
export const RESTIFY = node('restify', 'restify')

interface Row {
  readonly framework: string
  /** The code of the cells. */
  readonly rawBody: readonly string[]
  readonly header: string
}

/** The table of the guide. */
export function rowsOfTheGuide(): Row[] {
  const [, section = ''] = guide.split('## Other languages')
  const [table = ''] = /^\| Function \|.*?\n\n/ms.exec(section) ?? []
  const code = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, each]) => each as string)
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, , framework = '', rawBody, header]) => ({
      framework,
      rawBody: code(rawBody),
      header: code(header)[0] ?? '',
    }))
}

/** The row's code for another header, in the same case. */
function headerOf(row: Row, name: 'signature' | 'signature-previous'): string {
  return row.header.replace(/([-_])(timestamp)/i, (_, separator: string, timestamp: string) => {
    const renamed = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
    const inCase = timestamp === 'TIMESTAMP' ? name.toUpperCase() : timestamp === 'timestamp' ? name : renamed
    return separator + inCase.replace('-', separator)
  })
}

function programOf({ name, row = name, program }: Framework): string {
  const code = readFileSync(join(programs, program), 'utf8')
  const found = rowsOfTheGuide().find(({ framework }) => framework === row)
  if (found === undefined) return code
  return code
    .replaceAll('__RAW_BODY__', () => found.rawBody[0] ?? '')
    .replaceAll('__SETTING__', () => found.rawBody[1] ?? '')
    .replaceAll('__HEADERS__', () => found.header)
    .replaceAll('__TIMESTAMP__', () => found.header)
    .replaceAll('__SIGNATURE__', () => headerOf(found, 'signature'))
    .replaceAll('__PREVIOUS__', () => headerOf(found, 'signature-previous'))
}

export function isInstalled({ probe: [command = '', ...parameters] }: Framework): boolean {
  return spawnSync(command, parameters).status === 0
}

/** A running program, and what it prints as its address. */
export interface StartedFramework {
  readonly address: string
  stop(): Promise<void>
}

/**
 * Starts the program.
 * @param within a folder with the packages of npm
 * @throws Error with its output if it ends before
 */
export async function startFramework(framework: Framework, within = tmpdir()): Promise<StartedFramework> {
  const folder = mkdtempSync(join(within, 'receiver-'))
  writeFileSync(join(folder, `receiver${extname(framework.program)}`), programOf(framework))
  for (const file of framework.beside ?? []) cpSync(file, join(folder, basename(file)))

  const [command = '', ...parameters] = framework.command
  // In a process group: `go run` and shells start others.
  const child = spawn(command, parameters, {
    cwd: folder,
    detached: true,
    env: {
      ...process.env,
      WEBHOOK_SECRET: SECRET,
      RECEIVERS: receivers,
      PYTHONPATH: join(receivers, 'python'),
      NODE_NO_WARNINGS: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await once(child, 'spawn')
  const exited = once(child, 'exit')
  async function stop(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  const output = new PassThrough()
  child.stdout.pipe(output, { end: false })
  child.stderr.pipe(output, { end: false })
  void exited.then(() => output.end())
  const printed: string[] = []
  for await (const line of createInterface(output)) {
    printed.push(line)
    const [, address] = /127\.0\.0\.1:(\d+(?: \d+)?)/.exec(line) ?? []
    if (address !== undefined) {
      output.resume()
      return { address, stop }
    }
  }
  await stop()
  throw new Error(`${framework.name} did not start:\n${printed.join('\n')}`)
}
