/** Decodes text as it comes. Without bytes it ends. */
interface Decoder {
  /** @throws TypeError for bytes that are none of the charset */
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string
}

/** Bytes 0x80 to 0x9f. Node 20 reads them as the control characters of ISO 8859-1. */
const FROM_0X80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const WINDOWS_1252 = Buffer.from(
  Buffer.from([...Array(256).keys()])
    .toString('latin1')
    .replace(/[\u0080-\u009f]+/, FROM_0X80),
  'utf16le',
)

const windows1252: Decoder = {
  decode(bytes = Buffer.alloc(0)) {
    const units = Buffer.allocUnsafe(2 * bytes.length)
    for (let at = 0; at < bytes.length; at += 1) {
      const from = 2 * (bytes[at] ?? 0)
      units[2 * at] = WINDOWS_1252[from] ?? 0
      units[2 * at + 1] = WINDOWS_1252[from + 1] ?? 0
    }
    return units.toString('utf16le')
  },
}

/**
 * A strict decoder, without a byte order mark in its result.
 * @param label of the WHATWG Encoding Standard, such as `ISO-8859-1`, in any case
 * @returns null if it is unknown
 */
export function decoderOf(label: string): Decoder | null {
  try {
    const decoder = new TextDecoder(label, { fatal: true })
    return decoder.encoding === 'windows-1252' ? windows1252 : decoder
  } catch {
    return null
  }
}

/** The text; null if the charset is unknown or the bytes do not fit. */
export function decode(bytes: Uint8Array, label: string): string | null {
  try {
    return decoderOf(label)?.decode(bytes) ?? null
  } catch {
    return null
  }
}
