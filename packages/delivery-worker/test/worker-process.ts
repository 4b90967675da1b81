import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A worker in a process of its own. */
export interface WorkerProcess {
  /** Resolves when it has printed the line. */
  printed(line: string): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** The exit code; null after a signal. */
  readonly exited: Promise<number | null>
}

const processes = new Set<WorkerProcess>()

export function runWorker(env: Record<string, string>): WorkerProcess {
  const child = spawn(process.execPath, [new URL('worker-process.js', import.meta.url).pathname], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const worker: WorkerProcess = {
    exited,
    signal: (signal) => child.kill(signal),
    async printed(line) {
      while (!lines.includes(line)) {
        const isOver = await Promise.race([once(output, 'line').then(() => false), exited.then(() => true)])
        if (isOver && !lines.includes(line)) throw new Error(`The worker ended without printing: ${line}`)
      }
    },
  }
  processes.add(worker)
  return worker
}

/** Ends what a test left running. */
export async function killWorkers(): Promise<void> {
  for (const worker of processes) {
    worker.signal('SIGKILL')
    await worker.exited
  }
  processes.clear()
}
