import { compileFunction } from 'node:vm'
import { ADAPTERS } from '../../src/connection/adapters.ts'
import type { HostTransaction } from '../../src/index.ts'

export type OtherTransaction = Extract<HostTransaction, { runInTransaction: unknown }>

/** What the host's client calls its transaction, by the adapter on it. */
const OWN = new WeakMap<object, { client: string; transaction: unknown }>()

/** The documented adapter for a client, in which `names` are the host's variables. */
export function documented(client: string, names: Record<string, unknown>): OtherTransaction {
  const made = compileFunction(
    `return ${lineOf(client).adapter}`,
    Object.keys(names),
  )(...Object.values(names))
  OWN.set(made, { client, transaction: names['transaction'] ?? Object.values(names)[0] })
  return made
}

/** What somebody may pass by mistake for an adapter, and the hint that it gets. Undefined for drizzle and postgres.js. */
export function mistakenFor(adapter: object): { given: unknown; hint: string } | undefined {
  const own = OWN.get(adapter)
  if (own === undefined) return undefined
  const { client, where, adapter: line } = lineOf(own.client)
  return { given: own.transaction, hint: `For ${client}, ${where}: ${line}.` }
}

function lineOf(client: string) {
  const found = ADAPTERS.find((each) => each.client === client)
  if (found === undefined) throw new Error(`There is no line for ${client}.`)
  return found
}
