import { connect, isIP, Socket } from 'node:net'
import { connect as secure, type ConnectionOptions as TlsOptions } from 'node:tls'
import type { ConnectionTarget, Host, SessionAttrs } from './connection-string.ts'
import type { Repeat } from './driver.ts'

/**
 * The sockets of our connections, which the driver takes one by one (its `socket` option): to the hosts of a connection
 * string in turn, the last good one first, with TLS, and only to a server that accepts what we send.
 */
export interface Hosts {
  /** For the driver. Never rejects, which would cost it a connection for good: a failed socket fails later. */
  socket(): Promise<Socket>
  /** Runs again at the next host what found its connection refused before anything was sent on it. */
  readonly inTurn: Repeat
  /** Ends all connections. Later ones fail. */
  close(): void
}

/** Set on an error of a connection that has not yet begun. */
const UNBEGUN = Symbol('unbegun')

export function hostsOf(target: ConnectionTarget, connectTimeoutMs: number): Hosts {
  const { hosts, sessionAttrs } = target
  const open = new Set<Socket>()
  let first = 0
  let isClosed = false

  async function dial(): Promise<Socket> {
    let error: unknown
    for (let tried = 0; tried < hosts.length; tried += 1) {
      const index = (first + tried) % hosts.length
      try {
        const socket = await openSocket(hosts[index] ?? { path: '' }, target, connectTimeoutMs)
        if (isClosed) {
          socket.destroy()
          throw failure('CONNECTION_ENDED', 'the storage is closed')
        }
        first = index
        keep(socket, index)
        return socket
      } catch (failure) {
        error = failure
      }
    }
    throw error
  }

  function keep(socket: Socket, index: number): void {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    watchBeginning(socket, sessionAttrs, () => {
      if (first === index) first = (index + 1) % hosts.length
    })
  }

  return {
    socket: () => dial().catch(failing),
    async inTurn(run) {
      for (let tried = 1; ; tried += 1) {
        try {
          return await run()
        } catch (error) {
          const { code } = Object(error)
          // The server has become a standby: every other connection to it is as useless.
          if (code === '25006' && WRITABLE.has(sessionAttrs)) for (const socket of open) socket.destroy()
          if (tried >= hosts.length || !(UNBEGUN in Object(error) || code === STARTING)) throw error
        }
      }
    },
    close() {
      isClosed = true
      for (const socket of open) socket.destroy()
    },
  }
}

function failing(error: unknown): Socket {
  const socket = new Socket()
  // The driver listens by then.
  setImmediate(() => socket.destroy(error as Error))
  return socket
}

/** A connected socket, encrypted if the connection string asks for it. */
async function openSocket(host: Host, target: ConnectionTarget, timeoutMs: number): Promise<Socket> {
  const place = 'path' in host ? host.path : `${host.name}:${host.port}`
  const socket = 'path' in host ? connect(host.path) : connect(host.port, host.name)
  let current = socket
  const timer = setTimeout(() => {
    current.destroy(failure('CONNECT_TIMEOUT', `no connection to ${place} within ${timeoutMs} ms`))
  }, timeoutMs)
  try {
    await happens(socket, 'connect')
    if ('path' in host) return socket
    if (target.ssl !== false) current = await encrypted(socket, host, target, (tls) => (current = tls))
    // For the driver's messages.
    return Object.assign(current, { host: host.name, port: host.port })
  } finally {
    clearTimeout(timer)
  }
}

/** What a client asks a server before TLS, and the answer of one that has it. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const YES = 'S'

async function encrypted(
  socket: Socket,
  { name, port }: Exclude<Host, { path: string }>,
  { ssl, isDirectTls }: ConnectionTarget,
  onBegun: (tls: Socket) => Socket,
): Promise<Socket> {
  if (!isDirectTls) {
    socket.write(SSL_REQUEST)
    const answer = await happens(socket, 'data')
    if (String(answer) !== YES) {
      if (ssl === 'prefer') return socket
      socket.destroy()
      throw failure(
        'TLS_NOT_OFFERED',
        `the server at ${name}:${port} offers no TLS, and the connection string asks for it (sslmode)`,
      )
    }
  }
  const options: TlsOptions = {
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ...(isDirectTls && { ALPNProtocols: ['postgresql'] }),
    ...(typeof ssl === 'object' ? ssl : { rejectUnauthorized: false }),
  }
  const tls = secure(options)
  onBegun(tls)
  await happens(tls, 'secureConnect')
  return tls
}

/** Resolves with the value of an event, or rejects with the error or the end of the socket. */
function happens(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void) => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose)
      settled()
    }
    const onEvent = (value: unknown) => settle(() => resolve(value))
    const onError = (error: Error) => {
      socket.on('error', () => undefined)
      settle(() => reject(error))
    }
    const onClose = () =>
      settle(() => reject(failure('CONNECTION_CLOSED', 'the server closed the connection')))
    socket.on(event, onEvent).on('error', onError).on('close', onClose)
  })
}

/** SQLSTATE of a server that does not accept connections yet. */
const STARTING = '57P03'

const WRITABLE = new Set<SessionAttrs>(['read-write', 'primary'])

/** Whether a server, by what it reports when a session begins, is not one of these. */
const IS_UNSUITABLE: Readonly<Record<SessionAttrs, (report: ReadonlyMap<string, string>) => boolean>> = {
  any: () => false,
  'read-write': (report) =>
    report.get('default_transaction_read_only') === 'on' || report.get('in_hot_standby') === 'on',
  'read-only': (report) => report.get('default_transaction_read_only') === 'off',
  primary: (report) => report.get('in_hot_standby') === 'on',
  standby: (report) => report.get('in_hot_standby') === 'off',
}

/**
 * Follows the messages of a new session up to the first ReadyForQuery, and ends one on the wrong server. Calls
 * `onUnsuitable` for a server that should not be the next one to be asked.
 */
function watchBeginning(socket: Socket, attrs: SessionAttrs, onUnsuitable: () => void): void {
  const report = new Map<string, string>()
  let rest: Buffer = Buffer.alloc(0)

  const onData = (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length > 4 && rest.length > rest.readUInt32BE(1)) {
      const length = rest.readUInt32BE(1) + 1
      onMessage(String.fromCharCode(rest[0] ?? 0), rest.toString('utf8', 5, length))
      rest = rest.subarray(length)
    }
  }
  const onMessage = (type: string, text: string) => {
    const [name = '', value = ''] = text.split('\0')
    if (type === 'S') report.set(name, value)
    if (type === 'E' && text.includes(`\0C${STARTING}\0`)) onUnsuitable()
    if (type !== 'Z') return
    stop()
    if (!IS_UNSUITABLE[attrs](report)) return
    onUnsuitable()
    const code = `CONNECTION_NOT_${attrs.replaceAll('-', '_').toUpperCase()}`
    socket.destroy(unbegun(failure(code, `the server is not ${attrs} (target_session_attrs)`)))
  }
  const onEnd = () => {
    onUnsuitable()
    socket.destroy(unbegun(failure('CONNECTION_CLOSED', 'the server closed the connection before it began')))
  }
  const onError = (error: Error) => {
    onUnsuitable()
    unbegun(error)
  }
  const stop = () => socket.off('data', onData).off('end', onEnd).off('error', onError)
  socket.on('data', onData).on('end', onEnd).on('error', onError)
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function unbegun(error: Error): Error {
  return Object.assign(error, { [UNBEGUN]: true })
}
