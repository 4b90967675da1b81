import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { scratchFolder } from '@quickquote/dev-servers'
import { migratedDatabase } from '@quickquote/dev-servers/vitest'
import { beforeAll, expect } from 'vitest'
import { secretsIn } from './secrets.ts'

/** A process of the example, and its output. */
export interface ExampleProcess {
  readonly pid: number
  output(): string
  /** Resolves with the first match in the output. Throws if the process ends without one. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal and waits for the end. With `group` it goes to the whole process group, like Ctrl-C. */
  end(signal: NodeJS.Signals, options?: { group?: boolean }): Promise<number | null>
  /** The exit code, or null after a signal. */
  readonly exited: Promise<number | null>
}

const processes = new Set<ExampleProcess>()

/** Runs `dist/<entry>.js`, or the file at a path, with its own environment. */
export function runExample(
  entry: 'demo' | 'server' | 'worker' | `${string}.js`,
  env: Record<string, string>,
  args: readonly string[] = [],
): ExampleProcess {
  const file = resolve(
    import.meta.dirname,
    entry.endsWith('.js') ? entry : `../../examples/demo/dist/${entry}.js`,
  )
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  if (child.pid === undefined) throw new Error(`${entry} did not start`)
  const { pid } = child
  let text = ''
  let isOver = false
  const news = new EventEmitter()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      news.emit('news')
    })
  }
  const exited = once(child, 'close').then(([code]) => {
    processes.delete(example)
    isOver = true
    news.emit('news')
    return code as number | null
  })

  const example: ExampleProcess = {
    pid,
    exited,
    output: () => text,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(text)
        if (match !== null) return match
        if (isOver) throw new Error(`${entry} ended without printing ${pattern}:\n${text}`)
        await once(news, 'news')
      }
    },
    async end(signal, { group = false } = {}) {
      if (child.exitCode === null && child.signalCode === null) process.kill(group ? -pid : pid, signal)
      return exited
    },
  }
  processes.add(example)
  return example
}

/** Stops processes that a test left running. */
export async function endExamples(): Promise<void> {
  await Promise.all([...processes].map((example) => example.end('SIGTERM')))
}

/** A server's address, once it listens. */
export async function urlOf(server: ExampleProcess): Promise<string> {
  const [, url = ''] = await server.printed(/"url":"(http:[^"]+)"/)
  return url
}

export interface TemporaryFolder {
  readonly path: string
  remove(): Promise<void>
}

/** A folder that the database's user may also enter if root runs the tests. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(scratchFolder(), 'quickquote-example-'))
  await chmod(path, 0o755)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A server of the example with its own database, for the tests of a file. It must exit with 0 and print no secret. */
export function useExample(env: Record<string, string>): {
  readonly url: string
  readonly databaseUrl: string
} {
  let url = ''
  let databaseUrl = ''
  beforeAll(async () => {
    const database = await migratedDatabase()
    databaseUrl = database.url
    const folder = await temporaryFolder()
    const server = runExample('server', { DATABASE_URL: database.url, DATA_FOLDER: folder.path, ...env })
    try {
      url = await urlOf(server)
    } catch (error) {
      await server.end('SIGTERM')
      await database.drop()
      await folder.remove()
      throw error
    }
    return async () => {
      const code = await server.end('SIGTERM')
      await database.drop()
      await folder.remove()
      expect(code).toBe(0)
      expect(secretsIn(server.output(), [database.url])).toEqual([])
    }
  })
  return {
    get url() {
      return url
    },
    get databaseUrl() {
      return databaseUrl
    },
  }
}
