import type { TLSSocket } from 'node:tls'

/** A response exceeded the limit of raw bytes. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
  readonly code = 'ANSWER_TOO_LONG'
}

/** The responses on a socket. */
export interface Answers {
  /** Whether the socket has carried a request before, and no byte has arrived since the latest one was written. */
  isSilentAfterReuse(): boolean
}

/**
 * Limits the bytes read of each response on a socket, and drops informational responses. On the socket, because the
 * HTTP client does not report chunk extensions, and takes an unsolicited `100 Continue` for the end of the connection.
 *
 * A response begins when its request is written; there is one at a time. After `maxBytes`, the socket is destroyed with
 * an AnswerTooLongError.
 */
export function boundAnswers(socket: TLSSocket, maxBytes: number): Answers {
  const { read, write } = socket
  let left = maxBytes
  let withoutInformational = informationalFilter()
  let isReused = false
  let hasBegun = false

  // A request is written in several pieces.
  socket.write = (...request: unknown[]) => {
    left = maxBytes
    withoutInformational = informationalFilter()
    isReused ||= hasBegun
    hasBegun = false
    return Reflect.apply(write, socket, request)
  }

  socket.read = (size) => {
    while (left >= 0) {
      const chunk: Buffer | null = read.call(socket, size)
      if (chunk === null) return null
      hasBegun = true
      const answer = withoutInformational(chunk.subarray(0, left))
      left -= chunk.length
      if (answer.length > 0) return answer
    }
    // Not together with the last bytes: the client reads nothing from a destroyed socket.
    socket.destroy(new AnswerTooLongError())
    return null
  }

  return { isSilentAfterReuse: () => isReused && !hasBegun }
}

/** 101 switches to another protocol, so there is no final response. */
const INFORMATIONAL = /^HTTP\/1\.\d 1(?!01)\d\d/
const EXAMPLE = 'HTTP/1.1 199'

const NOTHING: Buffer = Buffer.alloc(0)
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r')

/** Filters the chunks read from a socket: returns the part that belongs to the final response. */
function informationalFilter(): (chunk: Buffer) => Buffer {
  let isFinal = false
  let isInformational = false
  let isLineEmpty = false
  /** Too little to recognize it. */
  let start = NOTHING

  /** The rest after the empty line that ends the headers. */
  function afterHead(chunk: Buffer): Buffer | undefined {
    for (const [index, byte] of chunk.entries()) {
      if (byte === LINE_FEED && isLineEmpty) return chunk.subarray(index + 1)
      if (byte !== CARRIAGE_RETURN) isLineEmpty = byte === LINE_FEED
    }
    return undefined
  }

  return (chunk) => {
    let rest = chunk
    while (!isFinal) {
      if (isInformational) {
        const next = afterHead(rest)
        if (next === undefined) return NOTHING
        isInformational = false
        rest = next
      }
      rest = start.length === 0 ? rest : Buffer.concat([start, rest])
      start = NOTHING
      const line = rest.toString('latin1', 0, EXAMPLE.length)
      if (!INFORMATIONAL.test(line + EXAMPLE.slice(line.length))) isFinal = true
      else if (line.length === EXAMPLE.length) isInformational = true
      else {
        start = rest
        return NOTHING
      }
    }
    return rest
  }
}
