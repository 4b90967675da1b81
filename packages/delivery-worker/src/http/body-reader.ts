import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib'

/** Reads the body of a response as it arrives. */
export interface BodyReader {
  write(chunk: Uint8Array): void
  /** Call it at the end of the body. */
  end(): void
  /** Discards the rest. */
  close(): void
}

const DECODERS = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Decodes a body up to a limit; beyond it, at most one more chunk (16 KiB) is decompressed. Unknown encodings are read
 * as they are, and a body that cannot be decoded ends there: only the status matters.
 * @param reading.encoding the `content-encoding` of the response
 * @param reading.maxBytes bytes to read, before and after decoding
 * @param reading.onData the decoded bytes; their buffer is reused afterwards
 * @param reading.onEnd the whole body was read
 * @param reading.onLimit the body exceeds `maxBytes`; called instead of `onEnd`
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
      // A copy, because the socket reuses its buffer.
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
