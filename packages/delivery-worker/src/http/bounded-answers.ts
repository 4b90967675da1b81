import type { TLSSocket } from 'node:tls'

/** A receiver answered with more raw bytes than are read of an answer. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError'
  readonly code = 'ANSWER_TOO_LONG'
}

/**
 * Bounds what is read of each answer on a socket, and leaves informational answers out. At the socket, for the HTTP client
 * tells nobody of chunk extensions, and takes a `100 Continue` that it did not ask for as the end of the connection.
 *
 * An answer begins when its request is written: there is one at a time. Of one that is longer, `maxBytes` are handed on; then
 * the socket is destroyed with an AnswerTooLongError.
 */
export function boundAnswers(socket: TLSSocket, maxBytes: number): void {
  const { read, write } = socket
  let left = maxBytes
  let withoutInformational = informationalFilter()

  socket.write = (...request: unknown[]) => {
    left = maxBytes
    withoutInformational = informationalFilter()
    return Reflect.apply(write, socket, request)
  }

  socket.read = (size) => {
    while (left >= 0) {
      const chunk: Buffer | null = read.call(socket, size)
      if (chunk === null) return null
      const answer = withoutInformational(chunk.subarray(0, left))
      left -= chunk.length
      if (answer.length > 0) return answer
    }
    // Not together with the last bytes: the client looks at nothing of a socket that is destroyed.
    socket.destroy(new AnswerTooLongError())
    return null
  }
}

/** Who answers 101 goes on in another protocol: there is no final answer to wait for. */
const INFORMATIONAL = /^HTTP\/1\.\d 1(?!01)\d\d/
const EXAMPLE = 'HTTP/1.1 199'

const NOTHING: Buffer = Buffer.alloc(0)
const [LINE_FEED, CARRIAGE_RETURN] = Buffer.from('\n\r')

/** Takes what a socket reads, piece by piece, and gives back what of it belongs to the final answer. */
function informationalFilter(): (chunk: Buffer) => Buffer {
  let isFinal = false
  let isInformational = false
  let isLineEmpty = false
  /** Too little to tell which it is. */
  let start = NOTHING

  /** What comes after the empty line that ends a head. */
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
