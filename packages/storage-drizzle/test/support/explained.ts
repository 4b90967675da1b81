import postgres from 'postgres'
import { drizzleStorage } from '../../src/index.ts'

/** The relevant fields of a node in EXPLAIN's output. */
export interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Plan[]
}

/** A storage on one connection, whose plans can be read. Needs superuser rights. */
export function openExplained(url: string) {
  const texts: string[] = []
  const sql = postgres(url, { max: 1, onnotice: ({ message }) => texts.push(message ?? '') })
  return {
    storage: drizzleStorage({ sql }),
    close: () => sql.end(),
    run: (text: string) => sql.unsafe(text),
    async explain(): Promise<void> {
      await sql.unsafe(`load 'auto_explain';
        set auto_explain.log_min_duration = 0; set auto_explain.log_level = notice;
        set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
        set auto_explain.log_buffers = on; set auto_explain.log_format = json`)
      texts.splice(0)
    },
    /** The nodes that read our tables. */
    nodes(): Plan[] {
      const plans = texts.filter((text) => text.startsWith('duration:') && text.includes('"Plan"'))
      return plans
        .map((text): { Plan: Plan } => JSON.parse(text.slice(text.indexOf('{'))))
        .flatMap(({ Plan }) => nodesOf(Plan))
        .filter((node) =>
          /^(deliver|webhook_endpoints|event|endpoint_health|quotations|audit_log|idempotency|pipeline_starts|uploads)/.test(
            node['Relation Name'] ?? '',
          ),
        )
        .filter((node) => node['Node Type'].endsWith('Scan') && node['Actual Loops'] > 0)
    },
  }
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** Including rows that a filter removed. */
export function rowsRead(nodes: readonly Plan[]): number {
  return nodes.reduce(
    (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    0,
  )
}

/** Pages of tables and indexes. */
export function blocksRead(nodes: readonly Plan[]): number {
  return nodes.reduce((sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'], 0)
}
