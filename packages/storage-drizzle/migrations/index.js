// The text of each migration and of the functions, by file name. In this repository they are read from disk; the published
// package embeds them (scripts/embed.mjs), so that any bundler includes them.
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('.', import.meta.url)
const names = readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/'))

export const files = Object.fromEntries(
  names
    .filter((name) => name.endsWith('.sql'))
    // git may change line endings; the migration is still the same.
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n')]),
)
