import { readdir, readFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { applyPatch, parsePatch, reversePatch } from 'diff'
import { expect, inject, it } from 'vitest'
import postgres from '../vendor/postgres/index.js'

const ours = new URL('../vendor/postgres/', import.meta.url)
const theirs = new URL('.', import.meta.resolve('postgres'))

it('The driver that is shipped along is the published one with the fixes of fixes.patch, and nothing else', async () => {
  const patches = parsePatch(await readFile(new URL('fixes.patch', ours), 'utf8'))
  const names = (await readdir(theirs)).sort()
  expect((await readdir(ours)).filter((name) => name.endsWith('.js')).sort()).toEqual(names)
  expect(patches.map(({ newFileName }) => newFileName)).toEqual(['b/connection.js', 'b/index.js'])
  for (const name of names) {
    const patch = patches.find(({ newFileName }) => newFileName === `b/${name}`)
    const text = await readFile(new URL(name, ours), 'utf8')
    const unpatched = patch === undefined ? text : applyPatch(text, reversePatch(patch))
    expect(unpatched, name).toBe(await readFile(new URL(name, theirs), 'utf8'))
  }
})

it('A query that has its answer lets go of its parameters', async () => {
  const sql = postgres(inject('postgresUrl'), { max: 1 })
  const query = sql.unsafe('select length($1) as length', ['all that was sent'])

  expect(inspect(query)).toContain('all that was sent')
  expect(await query).toEqual([{ length: 17 }])
  expect(inspect(query)).not.toContain('all that was sent')
  await sql.end()
})
