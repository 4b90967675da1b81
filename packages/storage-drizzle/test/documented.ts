import { readFileSync } from 'node:fs'
import { compileFunction } from 'node:vm'
import type { HostTransaction } from '../src/index.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The lines of the README for other clients: a comment that begins with the client's name, then a call of `within`. */
export const LINES = [...README.matchAll(/^\/\/ (\w+).*\n(integrations\.within\((.+)\))$/gm)].map(
  ([, client, line = '', adapter = '']) => ({ client, line, adapter }),
)

export type OtherTransaction = Extract<HostTransaction, { runInTransaction: unknown }>

/** The README's adapter for a client, in which `names` are the host's variables. */
export function documented(client: string, names: Record<string, unknown>): OtherTransaction {
  const found = LINES.find((line) => line.client === client)
  if (found === undefined) throw new Error(`The README has no line for ${client}.`)
  return compileFunction(`return ${found.adapter}`, Object.keys(names))(...Object.values(names))
}
