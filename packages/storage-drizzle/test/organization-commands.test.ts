import { randomUUID } from 'node:crypto'
import { integrationsOn } from '@quickquote/dev-servers/host'
import { describe, expect, it } from 'vitest'
import { callCli, runCli, spawnCli } from './support/cli-process.ts'
import { openDatabase } from './support/database.ts'
import { sampleQuotation } from './support/samples.ts'

const { sql, storage, url } = await openDatabase()
const { organizations, continueErasing } = integrationsOn(storage)

const QUOTATIONS = 3
const NOWHERE = 'ffffffff-ffff-4fff-8fff-ffffffffffff'

async function organization(): Promise<string> {
  const organization_id = randomUUID()
  for (let n = 0; n < QUOTATIONS; n += 1) {
    await storage.quotations.accept(sampleQuotation({ organization_id }), null)
  }
  return organization_id
}

const quotationsOf = async (id: string) =>
  (await sql`select 1 from quickquote.quotations where organization_id = ${id}`).length

const cli = (...args: string[]) => callCli(args, url)

it('erase-organization shows what it would remove, and removes nothing', async () => {
  const id = await organization()
  await organization()
  const { exitCode, stdout, stderr } = await cli('erase-organization', id)
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ {2}quotations +3$/m)
  expect(stdout).toMatch(/^ {2}api_keys +0$/m)
  expect(stdout).toContain('add --yes')
  expect(await quotationsOf(id)).toBe(QUOTATIONS)
  expect(await organizations.erasure(id)).toBeNull()
})

it('erase-organization --yes erases only this organization, and waits for the workers', async () => {
  const [id, other] = [await organization(), await organization()]
  const { child, result } = spawnCli(
    ['erase-organization', id.toUpperCase(), '--yes', '--by', 'admin-7'],
    url,
  )
  await expect.poll(() => organizations.erasure(id)).toMatchObject({ status: 'erasing' })
  expect(await sql`select actor_id from quickquote.audit_log where organization_id = ${id}`).toEqual([
    { actor_id: 'admin-7' },
  ])
  expect(child.exitCode).toBeNull()
  while (await continueErasing()) {}
  const { exitCode, stdout, stderr } = await result
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^Erased: \d+ rows removed\.\n$/)
  expect(stderr).toContain('you can stop this command')
  expect([await quotationsOf(id), await quotationsOf(other)]).toEqual([0, QUOTATIONS])
})

it('export-organization prints the lines of the export, and continues after one of them', async () => {
  const id = await organization()
  await organization()
  const whole = await runCli(['export-organization', id], url)
  expect([whole.exitCode, whole.stderr]).toEqual([0, ''])
  const lines = whole.stdout.split('\n').slice(0, -1)
  expect(lines.map((line) => JSON.parse(line).data.organization_id)).toEqual(Array(QUOTATIONS).fill(id))
  const rest = await cli('export-organization', id, '--after', JSON.parse(lines[0] ?? '').position)
  expect(rest.stdout.split('\n').slice(0, -1)).toEqual(lines.slice(1))
})

describe('with several databases', () => {
  const AWAY = 'postgres://user:sesame@127.0.0.1:1/none'
  const onAll = (...args: string[]) => callCli(args, `${AWAY} ${url}`)

  it('erase-organization and export-organization do their work in all that answer, and name the others', async () => {
    const id = await organization()
    const exported = await onAll('export-organization', id)
    expect(exported.stdout.split('\n').slice(0, -1)).toHaveLength(QUOTATIONS)
    const counted = await onAll('erase-organization', id)
    expect(counted.stdout).toMatch(/^-- Database 2\n(.*\n)* {2}quotations +3\n/)
    for (const { exitCode, stderr } of [exported, counted]) {
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/^Database 1: .*ECONNREFUSED.*\n$/)
      expect(stderr).not.toContain('sesame')
    }
  })

  it('refuses a position, which is in one of them', async () => {
    const { exitCode, stderr } = await onAll('export-organization', NOWHERE, '--after', 'x')
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('set DATABASE_URL to that one')])
  })
})

it.each([
  [['erase-organization', 'org_2abc', '--yes'], /must be a UUID/],
  [['export-organization', 'org_2abc'], /must be a UUID/],
  [['export-organization', NOWHERE, '--after', 'x'], /position/],
  [['erase-organization'], /erase-organization ID/],
  [['erase-organization', NOWHERE, NOWHERE], /erase-organization ID/],
])('%s is refused without printing the arguments', async (args, message) => {
  const { exitCode, stdout, stderr } = await cli(...args)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr).not.toContain('org_2abc')
})
