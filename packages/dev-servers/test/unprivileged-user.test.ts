import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { reachableDataFolder, reachableProgram, serverUser } from '../src/unprivileged-user.ts'

const cleanups: (() => Promise<unknown>)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function distributionIn(folder: string): Promise<string> {
  await mkdir(join(folder, 'native', 'bin'), { recursive: true })
  await mkdir(join(folder, 'native', 'share'))
  await writeFile(join(folder, 'native', 'share', 'greeting'), 'hello\n', { mode: 0o600 })
  const program = join(folder, 'native', 'bin', 'greet')
  await writeFile(program, '#!/bin/sh\ncat "$(dirname "$0")/../share/greeting"\n', { mode: 0o700 })
  await writeFile(join(folder, 'native', 'bin', 'depart'), '#!/bin/sh\n', { mode: 0o700 })
  return program
}

it.runIf(process.getuid?.() === 0)(
  'programs that the server user cannot reach are copied with everything they need',
  async () => {
    const closed = await mkdtemp(join(tmpdir(), 'quickquote-closed-'))
    cleanups.push(() => rm(closed, { recursive: true }))
    const program = await distributionIn(closed)
    const user = serverUser(closed)

    const copy = reachableProgram(program, user)
    cleanups.push(() => rm(dirname(dirname(copy)), { recursive: true }))
    expect(copy).not.toBe(program)
    expect(spawnSync(copy, { ...user, cwd: '/', encoding: 'utf8' }).stdout).toBe('hello\n')
    expect(reachableProgram(program, user)).toBe(copy)
    expect(reachableProgram(join(dirname(program), 'depart'), user)).toBe(join(dirname(copy), 'depart'))
  },
)

it.runIf(process.getuid?.() === 0)(
  'a folder that the server user can reach is used, whatever PATH has',
  async () => {
    const folder = await mkdtemp(join('/var/tmp', 'quickquote-open-'))
    cleanups.push(() => rm(folder, { recursive: true }))
    const user = serverUser(folder)
    vi.stubEnv('PATH', '/nowhere')
    expect(reachableDataFolder(folder, user)).toBe(folder)
  },
)

it.runIf(process.getuid?.() !== 0)('a normal user runs the programs in place, as itself', () => {
  expect(serverUser(tmpdir())).toBeUndefined()
  expect(reachableProgram('/anywhere/native/bin/postgres', undefined)).toBe('/anywhere/native/bin/postgres')
})
