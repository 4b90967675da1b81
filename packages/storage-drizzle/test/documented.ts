import { compileFunction } from 'node:vm'
import { ADAPTERS } from '../src/connection/adapters.ts'
import type { HostTransaction } from '../src/index.ts'

export type OtherTransaction = Extract<HostTransaction, { runInTransaction: unknown }>

/** The documented adapter for a client, in which `names` are the host's variables. */
export function documented(client: string, names: Record<string, unknown>): OtherTransaction {
  const found = ADAPTERS.find((each) => each.client === client)
  if (found === undefined) throw new Error(`There is no line for ${client}.`)
  return compileFunction(`return ${found.adapter}`, Object.keys(names))(...Object.values(names))
}
