import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib'

/** Takes the body of an answer as it comes. */
export interface BodyReader {
  write(chunk: Uint8Array): void
  /** There is no more. */
  end(): void
  /** Nobody wants to know the rest. */
  close(): void
}

const DECODERS = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Decodes a body, up to a limit: beyond it no more than the piece that passed it (16 KiB) is unpacked. An encoding that is not known is taken
 * as it is, and a body that cannot be decoded ends there: the status of the answer counts, not its body.
 * @param reading.encoding the `content-encoding` of the answer
 * @param reading.maxBytes bytes that are read, before and after decoding
 * @param reading.onData what was decoded; the bytes are used again afterwards
 * @param reading.onEnd all of it was read
 * @param reading.onLimit there is more than `maxBytes`; called in place of `onEnd`
 */
export function createBodyReader(reading: {
  readonly encoding: string | undefined
  readonly maxBytes: number
  readonly onData: (chunk: Uint8Array) => void
  readonly onEnd: () => void
  readonly onLimit: () => void
}): BodyReader {
  const { maxBytes, onData, onEnd, onLimit } = reading
  const decoder = decoderOf(reading.encoding)
  let received = 0
  let decoded = 0
  let isOver = false

  function over(tell: () => void): void {
    if (isOver) return
    isOver = true
    decoder?.destroy()
    tell()
  }

  function take(chunk: Uint8Array): void {
    if (isOver) return
    onData(chunk.subarray(0, maxBytes - decoded))
    decoded += chunk.length
    if (decoded > maxBytes) over(onLimit)
  }

  decoder?.on('data', take)
  decoder?.once('end', () => over(onEnd))
  decoder?.on('error', () => over(onEnd))

  return {
    write(chunk) {
      if (isOver) return
      received += chunk.length
      // A copy: the buffer of a socket is used again.
      if (decoder === undefined) take(chunk)
      else decoder.write(Uint8Array.from(chunk))
      if (received > maxBytes) over(onLimit)
    },
    end() {
      if (decoder === undefined) over(onEnd)
      else if (!isOver) decoder.end()
    },
    close: () => over(() => {}),
  }
}

function decoderOf(encoding: string | undefined) {
  const name = encoding?.trim().toLowerCase() ?? ''
  return Object.hasOwn(DECODERS, name) ? DECODERS[name as keyof typeof DECODERS]() : undefined
}
