import { renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const LONG = 64 * 1024

/** The best quality takes seconds for a tenth less. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }

const UNPACK = `import { brotliDecompressSync } from 'node:zlib'
const unpack = (text) => brotliDecompressSync(Buffer.from(text, 'base64')).toString()
`

/**
 * Writes what a module exports, text or JSON, as a module that reads nothing. Long texts are compressed in it. Atomically,
 * because a package may be packed twice at once.
 */
export function embed(exports, file) {
  const target = fileURLToPath(file)
  const text = Object.entries(exports).map(([name, value]) => `export const ${name} = ${literalOf(value)}\n`)
  writeFileSync(`${target}.${process.pid}`, UNPACK + text.join(''))
  renameSync(`${target}.${process.pid}`, target)
}

function literalOf(value) {
  if (typeof value !== 'string' || value.length < LONG) return JSON.stringify(value)
  return `/* @__PURE__ */ unpack('${brotliCompressSync(value, { params }).toString('base64')}')`
}
