import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A worker in a separate process, which is killed after the test if it still runs. */
export interface WorkerProcess {
  /** Resolves once it has printed the line. */
  printed(line: string): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Its output so far. */
  readonly lines: readonly string[]
  /** The exit code; null after a signal. */
  readonly exited: Promise<number | null>
}

export function runWorker(env: Record<string, string>): WorkerProcess {
  return run([new URL('../programs/worker-process.js', import.meta.url).pathname], env)
}

/** The package's program. Its errors are among the lines. */
export function runCli(args: readonly string[], env: Record<string, string> = {}): WorkerProcess {
  return run([new URL('../../bin/quickquote-worker.js', import.meta.url).pathname, ...args], env, 'pipe')
}

function run(
  args: string[],
  env: Record<string, string>,
  errors: 'inherit' | 'pipe' = 'inherit',
): WorkerProcess {
  const child = spawn(process.execPath, args, {
    cwd: resolve(import.meta.dirname, '../programs'),
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', errors],
  })
  const lines: string[] = []
  if (child.stdout === null) throw new Error('The process has no output.')
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
  if (child.stderr !== null) createInterface(child.stderr).on('line', (line) => lines.push(line))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const worker: WorkerProcess = {
    lines,
    exited,
    signal: (signal) => child.kill(signal),
    async printed(line) {
      while (!lines.includes(line)) {
        const isOver = await Promise.race([once(output, 'line').then(() => false), exited.then(() => true)])
        if (isOver && !lines.includes(line)) throw new Error(`The worker ended without printing: ${line}`)
      }
    },
  }
  onTestFinished(async () => {
    worker.signal('SIGKILL')
    await exited
  })
  return worker
}
