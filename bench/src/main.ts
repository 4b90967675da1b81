// `npx -y pnpm@12.21.0 bench [name] [--rounds 5] [--seconds 4] [--deliveries 1000000] [--days 30] [--released
// CHECKOUT]`: prints a table for each bench, mostly of ratios, and one of the targets. `name` is a bench or a group. By
// default all run.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { usePostgres } from '@quickquote/dev-servers'
import { type Child, type Service, startChild } from '@quickquote/dev-servers/child'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { deliveries } from './deliveries.ts'
import { deliveryClaim } from './delivery-claim.ts'
import { deliveryHungEndpoint } from './delivery-hung-endpoint.ts'
import { deliveryLatency } from './delivery-latency.ts'
import { GOALS_HEAD, type Goal, goalRow } from './goal.ts'
import { growth } from './growth.ts'
import { hostCommits } from './host-commits.ts'
import { describeMachine } from './machine.ts'
import { listQuotations, readEvents } from './read-pages.ts'
import { readQuotation } from './read-quotation.ts'
import { scaling, scalingApart } from './scaling.ts'
import { startQuotation } from './start-quotation.ts'
import { startUp } from './start-up.ts'
import { formatTable } from './table.ts'
import { uploadMemory } from './upload-memory.ts'
import { uploads } from './uploads.ts'
import { waitLatency } from './wait-latency.ts'

const GROUPS: Readonly<Record<string, readonly Bench[]>> = {
  'partner-api': [readQuotation, startQuotation, uploads, uploadMemory],
  lists: [listQuotations, readEvents, waitLatency],
  delivery: [deliveries, deliveryLatency, deliveryHungEndpoint, deliveryClaim, hostCommits],
  machines: [scaling, scalingApart],
  start: [startUp],
  history: [growth],
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    deliveries: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '30' },
    released: { type: 'string' },
  },
})
const known = Object.values(GROUPS).flat()
const chosen =
  positionals.length === 0
    ? known
    : positionals.flatMap((wanted) => GROUPS[wanted] ?? known.filter(({ name }) => name === wanted))
if (chosen.length < Math.max(positionals.length, 1)) {
  const groups = Object.entries(GROUPS).map(
    ([name, benches]) => `${name} (${benches.map((each) => each.name).join(', ')})`,
  )
  console.error(`Unknown bench. Choose from: ${groups.join(', ')}`)
  process.exit(1)
}
const reached: Goal[] = []

const progress = (line: string) => console.error(line)
const folder = await mkdtemp(join(tmpdir(), 'quickquote-bench-'))
// Root's server user must reach the data, or it would be kept elsewhere and not removed.
await chmod(folder, 0o711)
// Durable, because the cost of a commit counts.
const database = await usePostgres({ dataDir: join(folder, 'postgres'), onProgress: progress })
try {
  const sql = postgres(database.url, { max: 1 })
  console.log(`\n${await describeMachine(sql)}`)
  await sql.end()
  for (const bench of chosen) await runAndPrint(bench)
  if (reached.length > 0) console.log(`\nTargets\n\n${formatTable(GOALS_HEAD, reached.map(goalRow))}`)
} finally {
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}

async function runAndPrint(bench: Bench): Promise<void> {
  const children: Child<Service>[] = []
  const { rounds, seconds, deliveries: count, days, released } = values
  progress(`\n${bench.name}`)
  try {
    const {
      head,
      rows,
      notes,
      goals = [],
    } = await bench.run({
      postgres: database,
      rounds: Number(rounds),
      seconds: Number(seconds),
      deliveries: Number(count),
      days: Number(days),
      released,
      progress,
      start<S extends Service>(program: string) {
        const child = startChild<S>(new URL(program, import.meta.url))
        children.push(child)
        return child
      },
    })
    const origin = `${bench.name}, median of ${rounds} rounds`
    console.log(`\n${bench.title} (${origin})\n\n${formatTable(head, rows)}\n`)
    for (const note of notes) console.log(note)
    reached.push(...goals)
  } finally {
    await Promise.all(children.map((child) => child.stop()))
  }
}
