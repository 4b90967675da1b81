import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The user of the PostgreSQL processes; undefined: the current one. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined

// Survives a reboot, unlike /tmp, and everyone can enter it.
const PUBLIC_FOLDER = '/var/tmp'

/**
 * PostgreSQL refuses to run as root. As root, use the owner of the existing cluster, or `nobody`, which exists on every
 * system.
 */
export function serverUser(cluster: string): ServerUser {
  if (process.getuid?.() !== 0) return undefined
  const owner = lstatSync(cluster, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * The folder itself, or, if the user cannot reach it (for example below `/root`), a folder in `/var/tmp` whose name is
 * derived from it, so that the next start finds it.
 */
export function reachableDataFolder(folder: string, user: ServerUser): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (user === undefined) return folder
  chownSync(folder, user.uid, user.gid)
  if (may('-w', folder, user)) return folder

  const elsewhere = join(PUBLIC_FOLDER, `quickquote-postgres-${shortHash(folder)}`)
  mkdirSync(elsewhere, { recursive: true, mode: 0o700 })
  assertOurs(elsewhere, user)
  chownSync(elsewhere, user.uid, user.gid)
  return elsewhere
}

/** Checks the owner of a folder in `/var/tmp`, where anyone could have created it. */
function assertOurs(folder: string, user: ServerUser): void {
  const found = lstatSync(folder)
  if (found.isDirectory() && (found.uid === 0 || found.uid === user?.uid)) return
  throw new Error(`${folder} belongs to another user. Remove it, or choose another data folder.`)
}

/**
 * The program itself, or, if the user cannot run it, a copy of the whole distribution in `/var/tmp`.
 *
 * @param program `…/native/bin/<name>`
 */
export function reachableProgram(program: string, user: ServerUser): string {
  if (user === undefined || may('-x', program, user)) return program

  const distribution = dirname(dirname(program))
  // The time distinguishes a newly installed version from the copied one.
  const { mtimeMs } = lstatSync(distribution)
  const copy = join(PUBLIC_FOLDER, `quickquote-postgres-${shortHash(`${distribution} ${mtimeMs}`)}`)
  if (lstatSync(copy, { throwIfNoEntry: false }) === undefined) {
    const unfinished = mkdtempSync(`${copy}-`)
    cpSync(distribution, unfinished, { recursive: true, verbatimSymlinks: true })
    execFileSync('chmod', ['-R', 'a+rX,go-w', unfinished])
    chmodSync(unfinished, 0o755)
    try {
      renameSync(unfinished, copy)
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true })
      if (lstatSync(copy, { throwIfNoEntry: false }) === undefined) throw error
    }
  }
  assertOurs(copy, undefined)
  return join(copy, program.slice(distribution.length))
}

function may(access: '-w' | '-x', path: string, user: ServerUser): boolean {
  // The shell's own `test`: PATH may lack the program.
  return spawnSync('/bin/sh', ['-c', `test ${access} "$0"`, path], { ...user, cwd: '/' }).status === 0
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
