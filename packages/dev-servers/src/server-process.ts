import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { listens } from './listens.ts'

export interface ServerProcess {
  kill(signal: NodeJS.Signals): void
  /** Resolves when it has ended. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/** Debian installs servers outside the usual PATH. */
const ENV = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

export function isInstalled(program: string, flag = '--version'): boolean {
  return spawnSync(program, [flag], { env: ENV }).status === 0
}

/**
 * Starts a server, and waits until it listens on its port.
 * @throws Error with its log if it ends before
 */
export async function startServer(
  program: string,
  args: readonly string[],
  { port, ...options }: Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> & { port: number },
): Promise<ServerProcess> {
  const server = spawn(program, args, { ...options, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] })
  const log: string[] = []
  for (const output of [server.stdout, server.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => log.push(text))
  }
  server.on('error', (error) => log.push(error.message))
  const hasEnded = () => server.pid === undefined || server.exitCode !== null || server.signalCode !== null
  while (!(await listens(port))) {
    if (hasEnded()) throw new Error(`${program} did not start:\n${log.join('')}`)
    await sleep(20)
  }
  return {
    kill: (signal) => void server.kill(signal),
    async stop(signal) {
      if (hasEnded()) return
      const gone = once(server, 'exit')
      server.kill(signal)
      await gone
    },
  }
}
