import { readFileSync } from 'node:fs'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { ConfigurationError } from '@quickquote/core'

/** Where a server listens: a name or an address with its port, or a Unix socket. */
export type Host = { readonly name: string; readonly port: number } | { readonly path: string }

/** A parsed connection string. The driver has defaults for what is undefined. */
export interface ConnectionTarget {
  readonly hosts: readonly Host[]
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  /** False: unencrypted. `prefer`: TLS if the server offers it. */
  readonly ssl: TlsOptions | 'prefer' | false
  /** TLS from the first byte, without asking for it. */
  readonly isDirectTls: boolean
  readonly sessionAttrs: SessionAttrs
  readonly connectTimeoutMs: number | undefined
  readonly keepAliveMs: number | undefined
  readonly applicationName: string | undefined
  /** Settings for the server, such as `-c name=value`. */
  readonly options: string | undefined
}

const SESSION_ATTRS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const
export type SessionAttrs = (typeof SESSION_ATTRS)[number]

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Values of `ssl`, the name of `sslmode` in postgres.js. */
const SSL_WORDS = new Map([
  ['true', 'require'],
  ['1', 'require'],
  ['no-verify', 'require'],
  ['false', 'disable'],
  ['0', 'disable'],
])

/** The supported parameters, with libpq's names. */
const KNOWN =
  `host port dbname user password sslmode sslrootcert sslcert sslkey sslnegotiation target_session_attrs
  connect_timeout keepalives keepalives_idle application_name options`.split(/\s+/)

/** Parameters that providers print and other drivers use. They are not sent to the server, which would refuse them. */
const IGNORED =
  `client_encoding connection_limit fallback_application_name gsslib keepalives_count keepalives_interval
  krbsrvname load_balance_hosts pgbouncer pool_timeout sslcompression sslsni supa tcp_user_timeout uselibpqcompat
  workaround`.split(/\s+/)

/** Cannot be required; other values are ignored. */
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  channel_binding: 'leave it out, and verify the server with sslmode=verify-full',
  gssencmode: 'leave it out, and encrypt with sslmode',
}

const SCHEMA_OF_PRISMA =
  ' Prisma reads it; here the SQL schema is the option `schema` of drizzleStorage, which should not be that of your own tables.'

const NO_CONNECTION_STRING =
  'is missing. Is the environment variable from which you read it set, such as DATABASE_URL? It has the form postgres://user:password@host:port/database.'

const WRONG_FORM =
  'must have the form postgres://user:password@host:port/database (with special characters of the password percent-encoded).'

/**
 * Parses what the driver does not read, or reads unlike libpq: several hosts, IPv6 addresses in brackets, Unix sockets,
 * and parameters, of which a misspelled one would be lost.
 * @throws ConfigurationError that names the parameter, and never contains the string, which may include a password
 */
export function parseConnectionString(text: unknown): ConnectionTarget {
  expect(text !== undefined && text !== '', ` ${NO_CONNECTION_STRING}`)
  const parts =
    /^postgres(?:ql)?:\/\/(?:([^/?#:]*)(?::([^/?#]*))?@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(
      typeof text === 'string' ? text : '',
    )
  expect(parts !== null, ` ${WRONG_FORM}`)
  const [, user, password, authority = '', database, query = ''] = parts
  const given = readParameters(query)
  const hosts = readHosts(authority, given)
  const isSocket = hosts.some((host) => 'path' in host)
  expect(!isSocket || hosts.length === 1, ': a Unix socket must be the only host.')
  return {
    hosts,
    user: given['user'] ?? (decode(user) || undefined),
    password: given['password'] ?? (decode(password) || undefined),
    database: given['dbname'] ?? (decode(database) || undefined),
    ssl: isSocket ? false : readSsl(given),
    isDirectTls: oneOf(given, 'sslnegotiation', ['postgres', 'direct']) === 'direct',
    sessionAttrs: oneOf(given, 'target_session_attrs', SESSION_ATTRS) ?? 'read-write',
    connectTimeoutMs: milliseconds(given, 'connect_timeout'),
    keepAliveMs: given['keepalives'] === '0' ? 0 : milliseconds(given, 'keepalives_idle'),
    applicationName: given['application_name'],
    options: given['options'],
  }
}

type Given = Readonly<Record<string, string>>

function readParameters(query: string): Given {
  const pairs = query.split('&').filter((pair) => pair !== '')
  const parameters = pairs.map((pair) => {
    const [name = '', ...rest] = pair.split('=')
    const value = decode(rest.join('='))
    return name === 'ssl' ? ['sslmode', SSL_WORDS.get(value) ?? value] : [name, value]
  })
  for (const [name = '', value] of parameters) {
    const advice = NOT_SUPPORTED[name]
    expect(advice === undefined || value !== 'require', `: ${name}=require is not supported: ${advice}.`)
    if (advice !== undefined || KNOWN.includes(name) || IGNORED.includes(name)) continue
    const shown = /^\w{1,40}$/.test(name) ? name : 'after the ?'
    const hint = name === 'schema' ? SCHEMA_OF_PRISMA : ''
    expect(false, `: the parameter ${shown} is unknown. Parameters: ${KNOWN.join(', ')}.${hint}`)
  }
  return Object.fromEntries(parameters)
}

function readHosts(authority: string, given: Given): Host[] {
  const ports = (given['port'] ?? process.env['PGPORT'] ?? '5432').split(',')
  const named = (given['host'] ?? '').split(',').filter((name) => name !== '')
  const written = (authority || process.env['PGHOST'] || 'localhost').split(',')
  const hosts = named.length > 0 ? named.map((name) => ({ name, port: undefined })) : written.map(readHost)
  return hosts.map(({ name, port: own }, index) => {
    const text = own ?? ports[ports.length === 1 ? 0 : index] ?? ''
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
    expect(name !== '' && port >= 1 && port <= 65_535, ` ${WRONG_FORM}`)
    return name.startsWith('/') ? { path: `${name}/.s.PGSQL.${port}` } : { name, port }
  })
}

function readHost(text: string): { name: string; port: string | undefined } {
  const [, address, name, port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? []
  return { name: address ?? decode(name), port: port || undefined }
}

/** Like libpq, except that without `sslrootcert` Node's own authorities are trusted. */
function readSsl(given: Given): ConnectionTarget['ssl'] {
  const { sslrootcert: root } = given
  const isSystem = root === 'system'
  const mode = oneOf(given, 'sslmode', SSL_MODES) ?? (isSystem ? 'verify-full' : 'disable')
  expect(!isSystem || mode === 'verify-full', ': sslrootcert=system requires sslmode=verify-full.')
  if (mode === 'disable') return false
  if (mode === 'allow' || mode === 'prefer') return 'prefer'
  return {
    rejectUnauthorized: mode !== 'require' || root !== undefined,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(!isSystem && readPem(given, 'sslrootcert', 'ca')),
    ...readPem(given, 'sslcert', 'cert'),
    ...readPem(given, 'sslkey', 'key'),
  }
}

function readPem(given: Given, name: string, option: 'ca' | 'cert' | 'key'): TlsOptions {
  const file = given[name]
  if (file === undefined) return {}
  try {
    return { [option]: readFileSync(file) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationError(`connectionString: the file of ${name} cannot be read (${code}): ${file}`)
  }
}

function oneOf<T extends string>(given: Given, name: string, allowed: readonly T[]): T | undefined {
  const found = allowed.find((each) => each === given[name])
  expect(given[name] === undefined || found !== undefined, `: ${name} must be one of ${allowed.join(', ')}.`)
  return found
}

/** 0 means the default. */
function milliseconds(given: Given, name: string): number | undefined {
  const { [name]: text = '0' } = given
  expect(/^\d{1,6}$/.test(text), `: ${name} must be a number of seconds.`)
  return Number(text) * 1000 || undefined
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigurationError(`connectionString ${WRONG_FORM}`)
  }
}

function expect(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new ConfigurationError(`connectionString${problem}`)
}
