import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { isInstalled, startServer } from './server-process.ts'
import { serverUser } from './unprivileged-user.ts'

export interface PgBouncer {
  /** Connects to the given database through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

/** Whether the program is installed (Debian: `pgbouncer`). */
export function hasPgBouncer(): boolean {
  return isInstalled('pgbouncer')
}

/**
 * Starts a PgBouncer in transaction mode on 127.0.0.1, in front of one database.
 * @param databaseUrl the database, including the password, if it needs one
 * @param options.poolSize server connections shared by all clients. Default 5.
 * @throws Error with its log if it does not start
 */
export async function startPgBouncer(
  databaseUrl: string,
  { poolSize = 5 }: { poolSize?: number } = {},
): Promise<PgBouncer> {
  const target = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'quickquote-pgbouncer-'))
  const port = await freePort()
  const files = {
    'users.txt': `"${target.username}" "${target.password}"\n`,
    'pgbouncer.ini': `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = ${target.password === '' ? 'trust' : 'scram-sha-256'}
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  }
  // Like PostgreSQL, it refuses to run as root.
  const user = serverUser(join(folder, 'cluster'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    if (user !== undefined) chownSync(join(folder, name), user.uid, user.gid)
  }
  if (user !== undefined) chownSync(folder, user.uid, user.gid)

  const pooler = await startServer('pgbouncer', [join(folder, 'pgbouncer.ini')], { ...user, cwd: '/', port })
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    async stop() {
      await pooler.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
