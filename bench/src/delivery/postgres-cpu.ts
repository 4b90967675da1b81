import { readdir, readFile } from 'node:fs/promises'
import type { Sql } from 'postgres'

/** Linux counts CPU time in hundredths of a second, on every architecture. */
const TICKS_PER_SECOND = 100

/**
 * CPU time of the whole PostgreSQL server so far, including processes that have exited. NaN if it runs on another machine,
 * or not on Linux.
 */
export async function postgresCpuSeconds(sql: Sql): Promise<number> {
  const [postmaster, ...children] = await Promise.all((await serverPids(sql)).map(statOf))
  if (postmaster === undefined) return Number.NaN
  const ticks = children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0)
  return (ticks + postmaster.ticks + postmaster.ticksOfDead) / TICKS_PER_SECOND
}

/** The postmaster, and its children. Empty on another machine, or not on Linux. */
export async function serverPids(sql: Sql): Promise<string[]> {
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const own = await statOf(String(backend?.pid))
  if (own === undefined) return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(pids.map(async (pid) => (await statOf(pid))?.parent))
  return [String(own.parent), ...pids.filter((_, n) => parents[n] === own.parent)]
}

async function statOf(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // The program's name may contain anything; it ends at the last parenthesis.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0] = fields.slice(1)
  const [user = 0, system = 0, userOfDead = 0, systemOfDead = 0] = fields.slice(11)
  return { parent, ticks: user + system, ticksOfDead: userOfDead + systemOfDead }
}
