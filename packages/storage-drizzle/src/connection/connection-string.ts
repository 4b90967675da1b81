import { readFileSync } from 'node:fs'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { ConfigurationError } from '@quickquote/core'

/** A parsed connection string. Missing parts are undefined. */
export interface ConnectionTarget {
  /** Host names or addresses with ports. Empty for a Unix socket. */
  readonly hosts: readonly { readonly name: string; readonly port: number }[]
  /** The path of a Unix socket. */
  readonly path: string | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  /** False: unencrypted. `prefer`: TLS if the server offers it. */
  readonly ssl: TlsOptions | 'prefer' | false
  readonly sslnegotiation: 'direct' | null
  /** Null: any server. */
  readonly targetSessionAttrs: SessionAttrs | null
  readonly connectTimeoutMs: number | undefined
  readonly keepAliveMs: number | undefined
  readonly applicationName: string | undefined
  /** Settings for the server, such as `-c name=value`. */
  readonly options: string | undefined
}

const SESSION_ATTRS = ['read-write', 'read-only', 'primary', 'standby'] as const
export type SessionAttrs = (typeof SESSION_ATTRS)[number]

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

/** The supported parameters, with libpq's names. */
const KNOWN = [
  'host',
  'port',
  'dbname',
  'user',
  'password',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'target_session_attrs',
  'connect_timeout',
  'keepalives',
  'keepalives_idle',
  'application_name',
  'options',
] as const
type Known = (typeof KNOWN)[number]

/** Parameters that providers print and other drivers use. They are not sent to the server, which would refuse them. */
const IGNORED = new Set([
  'client_encoding',
  'connection_limit',
  'fallback_application_name',
  'gsslib',
  'keepalives_count',
  'keepalives_interval',
  'krbsrvname',
  'load_balance_hosts',
  'pgbouncer',
  'pool_timeout',
  'sslcompression',
  'sslsni',
  'supa',
  'tcp_user_timeout',
  'uselibpqcompat',
  'workaround',
])

const SCHEMA_OF_PRISMA =
  ' Prisma reads it; here the SQL schema is the option `schema` of drizzleStorage, which should not be that of your own tables.'

/** Refused with these values, because we cannot support them; other values are ignored. */
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  channel_binding: 'leave it out, and verify the server with sslmode=verify-full',
  gssencmode: 'leave it out, and encrypt with sslmode',
}

const NO_CONNECTION_STRING =
  'connectionString is missing. Is the environment variable from which you read it set, such as DATABASE_URL? It has the form postgres://user:password@host:port/database.'

const CONNECTION_STRING_FORM =
  'connectionString must have the form postgres://user:password@host:port/database (with special characters of the password percent-encoded).'

/**
 * Parses a connection string like libpq: several hosts, IPv6 addresses in brackets, Unix sockets, percent-encoded
 * parts, parameters after `?`.
 * @throws ConfigurationError that names the parameter, and never contains the string, which may include a password
 */
export function parseConnectionString(connectionString: unknown): ConnectionTarget {
  if (connectionString === undefined || connectionString === '')
    throw new ConfigurationError(NO_CONNECTION_STRING)
  const parts =
    typeof connectionString === 'string' &&
    /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(connectionString)
  if (!parts) throw new ConfigurationError(CONNECTION_STRING_FORM)
  const [, credentials = '', authority = '', path = '', query = ''] = parts
  const [, user, password] = /^([^:]*)(?::(.*))?$/s.exec(credentials) ?? []
  const given = readParameters(query)
  const { hosts, socket } = readHosts(authority, given)
  return {
    hosts,
    path: socket,
    user: given.user ?? orUndefined(decode(user)),
    password: given.password ?? orUndefined(decode(password)),
    database: given.dbname ?? orUndefined(decode(path)),
    ssl: socket === undefined ? readSsl(given) : false,
    sslnegotiation:
      oneOf('sslnegotiation', given.sslnegotiation, ['postgres', 'direct']) === 'direct' ? 'direct' : null,
    targetSessionAttrs: readSessionAttrs(given),
    connectTimeoutMs: seconds('connect_timeout', given.connect_timeout),
    keepAliveMs: given.keepalives === '0' ? 0 : seconds('keepalives_idle', given.keepalives_idle),
    applicationName: given.application_name,
    options: given.options,
  }
}

type Parameters = { readonly [Name in Known]?: string }

function readParameters(query: string): Parameters {
  const given: Record<string, string> = {}
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const [name = '', ...rest] = pair.split('=')
    const value = decode(rest.join('='))
    // The name in postgres.js.
    const known = name === 'ssl' ? 'sslmode' : name
    if ((KNOWN as readonly string[]).includes(known)) {
      given[known] = name === 'ssl' ? (SSL_WORDS[value] ?? value) : value
    } else if (name in NOT_SUPPORTED) {
      if (value === 'require') {
        throw new ConfigurationError(
          `connectionString: ${name}=require is not supported: ${NOT_SUPPORTED[name]}.`,
        )
      }
    } else if (!IGNORED.has(name)) {
      throw new ConfigurationError(
        `connectionString: the parameter ${/^\w{1,40}$/.test(name) ? name : 'after the ?'} is unknown. Parameters: ${KNOWN.join(', ')}.${name === 'schema' ? SCHEMA_OF_PRISMA : ''}`,
      )
    }
  }
  return given
}

const SSL_WORDS: Readonly<Record<string, SslMode>> = {
  true: 'require',
  '1': 'require',
  false: 'disable',
  '0': 'disable',
  'no-verify': 'require',
}

function readHosts(authority: string, given: Parameters) {
  const named = (given.host ?? '').split(',').filter((name) => name !== '')
  const ports = (given.port ?? process.env['PGPORT'] ?? '5432').split(',')
  const entries =
    named.length > 0
      ? named.map((name) => ({ name, port: undefined }))
      : (authority === '' ? (process.env['PGHOST'] ?? 'localhost') : authority).split(',').map(readHost)
  const hosts = entries.map(({ name, port }, index) => ({
    name,
    port: readPort(port ?? ports[ports.length === 1 ? 0 : index]),
  }))
  const [first] = hosts
  const isSocket = ({ name }: { name: string }) => name.startsWith('/')
  if (first === undefined || (hosts.length > 1 && hosts.some(isSocket))) {
    throw new ConfigurationError('connectionString: a Unix socket must be the only host.')
  }
  return isSocket(first)
    ? { hosts: [], socket: `${first.name}/.s.PGSQL.${first.port}` }
    : { hosts, socket: undefined }
}

function readHost(text: string): { name: string; port: string | undefined } {
  const [, address, name = '', port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(text) ?? []
  const host = address ?? decode(name)
  if (host === '') throw new ConfigurationError(CONNECTION_STRING_FORM)
  return { name: host, port: orUndefined(port) }
}

function readPort(text: string | undefined): number {
  const port = Number(text)
  if (!/^\d+$/.test(text ?? '') || port < 1 || port > 65_535)
    throw new ConfigurationError(CONNECTION_STRING_FORM)
  return port
}

/** Like libpq, except that without `sslrootcert` Node's own authorities are trusted. */
function readSsl({ sslmode, sslrootcert, sslcert, sslkey }: Parameters): ConnectionTarget['ssl'] {
  const mode: SslMode | undefined = oneOf('sslmode', sslmode, SSL_MODES)
  if (sslrootcert === 'system' && mode !== undefined && mode !== 'verify-full') {
    throw new ConfigurationError('connectionString: sslrootcert=system requires sslmode=verify-full.')
  }
  if (mode === undefined) return sslrootcert === 'system' ? { rejectUnauthorized: true } : false
  if (mode === 'disable') return false
  if (mode === 'allow' || mode === 'prefer') return 'prefer'
  const hasRoot = sslrootcert !== undefined && sslrootcert !== 'system'
  return {
    rejectUnauthorized: mode !== 'require' || hasRoot,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(hasRoot ? { ca: readPem('sslrootcert', sslrootcert) } : {}),
    ...(sslcert === undefined ? {} : { cert: readPem('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: readPem('sslkey', sslkey) }),
  }
}

function readPem(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationError(`connectionString: the file of ${name} cannot be read (${code}): ${file}`)
  }
}

function readSessionAttrs({
  target_session_attrs: given,
}: Parameters): ConnectionTarget['targetSessionAttrs'] {
  const wanted = oneOf('target_session_attrs', given, ['any', ...SESSION_ATTRS])
  return wanted === 'any' ? null : (wanted ?? 'read-write')
}

function oneOf<T extends string>(
  name: string,
  value: string | undefined,
  allowed: readonly T[],
): T | undefined {
  if (value === undefined) return undefined
  const found = allowed.find((each) => each === value)
  if (found === undefined) {
    throw new ConfigurationError(`connectionString: ${name} must be one of ${allowed.join(', ')}.`)
  }
  return found
}

function seconds(name: string, value: string | undefined): number | undefined {
  if (value === undefined || value === '0') return undefined
  if (!/^\d{1,6}$/.test(value))
    throw new ConfigurationError(`connectionString: ${name} must be a number of seconds.`)
  return Number(value) * 1000
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigurationError(CONNECTION_STRING_FORM)
  }
}

function orUndefined(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
