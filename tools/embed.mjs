import { renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Writes what a module exports, text or JSON, as a module that reads nothing. Atomically, because a package may be packed twice at once. */
export function embed(exports, file) {
  const target = fileURLToPath(file)
  const text = Object.entries(exports).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`,
  )
  writeFileSync(`${target}.${process.pid}`, text.join(''))
  renameSync(`${target}.${process.pid}`, target)
}
