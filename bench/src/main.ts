// `npx -y pnpm@12.21.0 bench [name] [--rounds 5] [--seconds 4]`: prints a table of ratios for each bench.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { usePostgres } from '@quickquote/testing'
import postgres from 'postgres'
import type { Bench } from './bench.ts'
import { type Child, type Service, startChild } from './child.ts'
import { describeMachine } from './machine.ts'
import { manyKeys } from './many-keys.ts'
import { readQuotation } from './read-quotation.ts'
import { startQuotation } from './start-quotation.ts'
import { formatTable } from './table.ts'
import { uploadMemory } from './upload-memory.ts'

const BENCHES: readonly Bench[] = [readQuotation, startQuotation, manyKeys, uploadMemory]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '4' } },
})
const chosen = BENCHES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
if (chosen.length < Math.max(positionals.length, 1)) {
  console.error(`There are: ${BENCHES.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

const progress = (line: string) => console.error(line)
const folder = await mkdtemp(join(tmpdir(), 'quickquote-bench-'))
// Durable: what a commit costs counts.
const database = await usePostgres({ dataDir: join(folder, 'postgres'), onProgress: progress })
try {
  const sql = postgres(database.url, { max: 1 })
  console.log(`\n${await describeMachine(sql)}`)
  await sql.end()
  for (const bench of chosen) await runAndPrint(bench)
} finally {
  await database.stop()
  await rm(folder, { recursive: true, force: true })
}

async function runAndPrint(bench: Bench): Promise<void> {
  const children: Child<Service>[] = []
  const { rounds, seconds } = values
  progress(`\n${bench.name}`)
  try {
    const { head, rows, notes } = await bench.run({
      postgres: database,
      rounds: Number(rounds),
      seconds: Number(seconds),
      progress,
      start<S extends Service>(program: string) {
        const child = startChild<S>(program)
        children.push(child)
        return child
      },
    })
    console.log(
      `\n${bench.title} (${bench.name}, median of ${rounds} rounds)\n\n${formatTable(head, rows)}\n`,
    )
    for (const note of notes) console.log(note)
  } finally {
    await Promise.all(children.map((child) => child.stop()))
  }
}
