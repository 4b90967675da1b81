import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Certificate,
  createCertificate,
  type EmbeddedPostgres,
  startPostgres,
} from '@quickquote/dev-servers'
import { PASSWORD, refusalOf } from '@quickquote/dev-servers/refusals'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drizzleStorage } from '../src/index.ts'

const DATABASE = 'Gänse & Co/100%'

let folder: string
let server: EmbeddedPostgres
let certificate: Certificate
let other: Certificate

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quickquote-connection-'))
  const { uid, gid } = await openToServer()
  certificate = await createCertificate()
  other = await createCertificate()
  for (const [name, text] of Object.entries({
    'server.crt': certificate.cert,
    'server.key': certificate.key,
    'other.crt': other.cert,
  })) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    chownSync(join(folder, name), uid, gid)
  }
  server = await startPostgres({
    dataDir: join(folder, 'data'),
    persistent: false,
    settings: {
      listen_addresses: '127.0.0.1,::1',
      unix_socket_directories: folder,
      ssl: 'on',
      ssl_cert_file: join(folder, 'server.crt'),
      ssl_key_file: join(folder, 'server.key'),
    },
  })
  await server.createDatabase(DATABASE)
}, 300_000)

afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Gives the folder to the user that runs the server: the owner of a first cluster in it. */
async function openToServer(): Promise<{ uid: number; gid: number }> {
  chmodSync(folder, 0o755)
  const first = await startPostgres({ dataDir: join(folder, 'first'), persistent: false })
  const { uid, gid } = statSync(join(first.dataDir, 'cluster'))
  await first.stop()
  chownSync(folder, uid, gid)
  return { uid, gid }
}

/** The parameters of this server for libpq. */
function connectionString(authority: string, rest = '/postgres'): string {
  const { username, password } = new URL(server.url)
  return `postgres://${username}:${password}@${authority}${rest}`
}

/** Connects and returns user, database and server. */
async function ask(text: string) {
  const storage = drizzleStorage({ connectionString: text, maxConnections: 1, connectTimeoutMs: 20_000 })
  try {
    return await storage.migrationStatus()
  } finally {
    await storage.close()
  }
}

const encoded = encodeURIComponent(DATABASE)
const root = () => `sslrootcert=${encodeURIComponent(join(folder, 'server.crt'))}`

/** Connection strings that work. */
const TAKEN: Record<string, () => string> = {
  'an IPv6 address in brackets': () => connectionString(`[::1]:${server.port}`),
  'a Unix socket as a parameter': () => connectionString('', `/postgres?host=${folder}&port=${server.port}`),
  'a Unix socket instead of the host': () => connectionString(`${encodeURIComponent(folder)}:${server.port}`),
  'a Unix socket and sslmode, which is ignored there': () =>
    connectionString('', `/postgres?host=${folder}&port=${server.port}&sslmode=verify-full`),
  'a percent-encoded name of a database': () => connectionString(`127.0.0.1:${server.port}`, `/${encoded}`),
  'several hosts, the first of them down': () => connectionString(`127.0.0.1:1,127.0.0.1:${server.port}`),
  'several hosts with a port for each': () =>
    connectionString('', `/postgres?host=127.0.0.1,localhost&port=1,${server.port}`),
  'several hosts with one port': () =>
    connectionString('', `/postgres?host=127.0.0.1,localhost&port=${server.port}`),
  'sslmode=require, which accepts any certificate': () =>
    connectionString(`127.0.0.1:${server.port}`, '/postgres?sslmode=require'),
  'sslmode=prefer': () => connectionString(`127.0.0.1:${server.port}`, '/postgres?sslmode=prefer'),
  'sslmode=verify-ca with its certificate': () =>
    connectionString(`127.0.0.1:${server.port}`, `/postgres?sslmode=verify-ca&${root()}`),
  'sslmode=verify-full with its certificate, by name': () =>
    connectionString(`localhost:${server.port}`, `/postgres?sslmode=verify-full&${root()}`),
  'sslmode=verify-full with its certificate, by address': () =>
    connectionString(`127.0.0.1:${server.port}`, `/postgres?sslmode=verify-full&${root()}`),
  'parameters that providers print': () =>
    connectionString(
      `127.0.0.1:${server.port}`,
      '/postgres?gssencmode=disable&channel_binding=prefer&pgbouncer=true&connection_limit=5&sslmode=require&target_session_attrs=any&connect_timeout=20&keepalives=1&application_name=app&options=-c%20geqo%3Doff',
    ),
}

describe('a connection string', () => {
  it.each(Object.keys(TAKEN))('is accepted: %s', async (name) => {
    expect(await ask(TAKEN[name]?.() ?? '')).toMatchObject({ applied: [] })
  })

  it('connects to the database it names', async () => {
    const storage = drizzleStorage({
      connectionString: connectionString(`127.0.0.1:${server.port}`, `/${encoded}`),
    })
    await storage.migrate()
    await storage.close()
    expect((await ask(TAKEN['a percent-encoded name of a database']?.() ?? '')).pending).toEqual([])
    expect((await ask(connectionString(`127.0.0.1:${server.port}`))).applied).toEqual([])
  })

  it.each([
    ['another authority', 'verify-full', 'other.crt', 'SELF_SIGNED'],
    ['another authority, whatever the name', 'verify-ca', 'other.crt', 'SELF_SIGNED'],
    ['another authority, named beside require', 'require', 'other.crt', 'SELF_SIGNED'],
  ])('is refused because of the certificate: %s', async (_, mode, file, code) => {
    const text = connectionString(
      `localhost:${server.port}`,
      `/postgres?sslmode=${mode}&sslrootcert=${join(folder, file)}`,
    )
    await expect(ask(text)).rejects.toMatchObject({
      name: 'StorageError',
      statusCode: 500,
      code: expect.stringContaining(code),
    })
  })

  it('verify-full refuses a certificate for another name, verify-ca accepts it', async () => {
    // An address of this machine that is not in the certificate.
    const host = `127.0.0.2:${server.port}`
    const proxy = createServer((near) => {
      const far = connect(server.port, '127.0.0.1')
      near.pipe(far).pipe(near)
      near.on('error', () => far.destroy())
      far.on('error', () => near.destroy())
    })
    await new Promise<void>((resolve) => proxy.listen(server.port, '127.0.0.2', resolve))
    const verify = (mode: string) => ask(connectionString(host, `/postgres?sslmode=${mode}&${root()}`))
    await expect(verify('verify-full')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(await verify('verify-ca')).toMatchObject({ applied: [] })
    proxy.close()
  })

  it('requesting TLS from a server without TLS causes an error that says so', async () => {
    const plain = await startPostgres({ dataDir: join(folder, 'plain'), persistent: false })
    await expect(ask(`${plain.url}?sslmode=require`)).rejects.toMatchObject({
      name: 'StorageError',
      statusCode: 500,
      code: 'TLS_NOT_OFFERED',
      message: expect.stringMatching(/offers no TLS/),
    })
    expect(await ask(`${plain.url}?sslmode=prefer`)).toMatchObject({ applied: [] })
    await plain.stop()
  })

  it('is not changed by PGTARGETSESSIONATTRS, which may have values that the driver does not know', async () => {
    process.env['PGTARGETSESSIONATTRS'] = 'any'
    expect(await ask(server.url)).toMatchObject({ applied: [] })
    process.env['PGTARGETSESSIONATTRS'] = 'standby'
    expect(await ask(`${server.url}?target_session_attrs=any`)).toMatchObject({ applied: [] })
    delete process.env['PGTARGETSESSIONATTRS']
  })

  it('selects a host that accepts writes, or reports that there is none', async () => {
    const readOnly = await startPostgres({
      dataDir: join(folder, 'read-only'),
      persistent: false,
      settings: { default_transaction_read_only: 'on' },
    })
    await expect(ask(readOnly.url)).rejects.toMatchObject({
      statusCode: 503,
      code: 'CONNECTION_NOT_READ_WRITE',
    })
    expect(await ask(`${readOnly.url}?target_session_attrs=any`)).toMatchObject({ applied: [] })
    const both = readOnly.url.replace(/@.*$/, `@127.0.0.1:${readOnly.port},127.0.0.1:1/postgres`)
    await expect(ask(both)).rejects.toMatchObject({ statusCode: 503 })
    await readOnly.stop()
  })

  it.each([
    ['/app?statement_cache=5', /the parameter statement_cache is unknown\. Parameters: host/],
    [`/app?pass%20word=${PASSWORD}`, /the parameter after the \? is unknown/],
    ['/app?gssencmode=require', /gssencmode=require is not supported/],
    ['/app?channel_binding=require', /channel_binding=require is not supported.*verify-full/],
    ['/app?sslmode=verify-full&sslrootcert=/no/where', /sslrootcert cannot be read \(ENOENT\)/],
    ['/app?sslmode=verify', /sslmode must be one of disable, allow, prefer/],
    // Public authorities without their check.
    ['/app?sslmode=require&sslrootcert=system', /verify-full/],
    ['/app?target_session_attrs=prefer-standby', /target_session_attrs must be one of any/],
    ['/app?target_session_attrs=leader', /target_session_attrs must be one of any/],
    ['/app?connect_timeout=soon', /connect_timeout must be a number of seconds/],
    ['/%zz', /must have the form/],
    ['/app?host=/a,/b', /a Unix socket must be the only host/],
  ])('is refused at startup, with the parameter named: %s', async (rest, message) => {
    const connectionString = `postgres://me:${PASSWORD}@localhost${rest}`
    const refusal = await refusalOf(() => drizzleStorage({ connectionString }))
    expect(refusal).toMatch(message)
    expect(refusal).not.toContain(PASSWORD)
  })
})
