import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { main } from '../../src/cli.ts'

export const CLI = fileURLToPath(new URL('../../bin/quickquote-storage.js', import.meta.url))

export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built command line in a separate process. `cli` is the path of another version. */
export function spawnCli(args: readonly string[], databaseUrl?: string, cli = CLI) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env['PATH'], ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child: child as ChildProcess, result: resultOf(child) }
}

export function runCli(args: readonly string[], databaseUrl?: string, cli = CLI): Promise<CliResult> {
  return spawnCli(args, databaseUrl, cli).result
}

/** Runs a command in this process, which is many times as fast. `command` is the main function of another version. */
export async function callCli(
  args: readonly string[],
  databaseUrl?: string,
  command = main,
): Promise<CliResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([text(stdout), text(stderr)])
  const exitCode = await command(args, { env: { DATABASE_URL: databaseUrl }, stdout, stderr })
  for (const output of [stdout, stderr]) output.end()
  const [out, err] = await printed
  return { exitCode, stdout: out, stderr: err }
}

async function resultOf(child: ReturnType<typeof spawn>): Promise<CliResult> {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'close'),
  ])
  return { exitCode, stdout, stderr }
}
