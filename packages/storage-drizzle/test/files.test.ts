import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type FileId, IntegrationError } from '@quickquote/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { onPostgresJs } from '../src/connection/postgres-js.ts'
import { firstIdOf } from '../src/ids.ts'
import { fileStorage, takeUploads, uploadStorage } from '../src/quotations/files.ts'
import { openDatabase } from './support/database.ts'
import { databaseOn } from './support/database-on.ts'

const CHUNK = 90 * 1024

const { sql } = await openDatabase()
const database = databaseOn(onPostgresJs(sql, { prepare: true }))
const files = fileStorage(database)
const uploads = uploadStorage(database)

beforeEach(async () => {
  await sql`truncate quickquote.file_chunks, quickquote.uploads`
})

const aFile = (): FileId => ({ id: randomUUID(), organization_id: randomUUID() })

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** Ids as core creates them. */
const idOf = (moment: Date) => `${firstIdOf(moment).slice(0, 14)}7${randomUUID().slice(15)}`

const chunks = () =>
  sql`select file_id, position, is_last, length(bytes) as size from quickquote.file_chunks order by position`

describe('a file in PostgreSQL', () => {
  it.each([
    ['one byte', 1],
    ['less than a chunk', CHUNK - 1],
    ['exactly a chunk', CHUNK],
    ['a byte more', CHUNK + 1],
    ['exactly three chunks', 3 * CHUNK],
    ['many chunks', 10 * CHUNK + 12_345],
  ])('is read back as written: %s', async (_what, size) => {
    const file = aFile()
    const bytes = randomBytes(size)
    await files.put(file, inPieces(bytes, 100_001))
    expect((await buffer(files.get(file))).equals(bytes)).toBe(true)
    const stored = await chunks()
    expect(stored.map((chunk) => chunk['size'])).toEqual([
      ...Array(Math.ceil(size / CHUNK) - 1).fill(CHUNK),
      size % CHUNK || CHUNK,
    ])
    expect(stored.map((chunk) => chunk['is_last'])).toEqual([...Array(stored.length - 1).fill(false), true])
  })

  it('is read back if its pieces were larger than a chunk', async () => {
    const file = aFile()
    const bytes = randomBytes(3 * CHUNK + 7)
    await files.put(file, inPieces(bytes, bytes.length))
    expect((await buffer(files.get(file))).equals(bytes)).toBe(true)
  })

  it('fails with the original error when its upload breaks off, is never readable, and is removed like any other', async () => {
    const file = aFile()
    const gone = Object.assign(new Error('the client is gone'), { syscall: 'read' })
    const breaksOff = async function* () {
      yield randomBytes(2 * CHUNK + 1)
      throw gone
    }
    await expect(files.put(file, breaksOff())).rejects.toBe(gone)
    await expect(buffer(files.get(file))).rejects.toThrow(/is missing or incomplete/)
    await files.delete([file])
    expect(await chunks()).toEqual([])
  })

  it('is never read in part: a removed or incomplete file is an error', async () => {
    const file = aFile()
    await expect(buffer(files.get(file))).rejects.toThrow(/is missing or incomplete/)
    await files.put(file, inPieces(randomBytes(2 * CHUNK), CHUNK))
    await sql`delete from quickquote.file_chunks where is_last`
    await expect(buffer(files.get(file))).rejects.toThrow(/is missing or incomplete/)
  })

  it('is not readable by another organization', async () => {
    const file = aFile()
    const stranger = { ...file, organization_id: randomUUID() }
    await files.put(file, inPieces(Buffer.from('hello'), 5))
    await expect(buffer(files.get(stranger))).rejects.toThrow(/is missing or incomplete/)
    await files.delete([stranger])
    expect(await buffer(files.get(file))).toEqual(Buffer.from('hello'))
  })

  it('is removed without affecting others', async () => {
    const [one, two, three] = [aFile(), aFile(), aFile()]
    for (const file of [one, two, three]) await files.put(file, inPieces(randomBytes(CHUNK + 1), CHUNK))
    await files.delete([one, three, aFile()])
    expect([...new Set((await chunks()).map((chunk) => chunk['file_id']))]).toEqual([two.id])
  })

  it('keeps its content out of errors of the database', async () => {
    const file = aFile()
    await files.put(file, inPieces(Buffer.from('first'), 5))
    const error = await files
      .put(file, inPieces(Buffer.from('a secret'), 8))
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'StorageError', code: '23505' })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/secret|YSBzZWNyZXQ/)
    expect(await buffer(files.get(file))).toEqual(Buffer.from('first'))
  })
})

describe('an upload', () => {
  const now = new Date('2026-11-21T12:00:00.000Z')
  const before = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
  const noted = async () => (await sql`select id from quickquote.uploads order by id`).map((row) => row['id'])
  const take = (file: FileId, ids = [file.id]) =>
    database.transaction((transaction) => takeUploads(transaction, file.organization_id, ids))
  const refusal = { code: 'VALIDATION_FAILED', errors: [{ pointer: '/files', detail: expect.any(String) }] }

  it('can be taken by one quote', async () => {
    const file = aFile()
    await uploads.record(file, now)
    await take(file)
    expect(await noted()).toEqual([])
    await expect(take(file)).rejects.toMatchObject(refusal)
    expect(await uploads.abandon([file], now)).toEqual([])
  })

  it('is refused for another organization, a second time, or if it never existed', async () => {
    const file = aFile()
    await uploads.record(file, now)
    await expect(take({ ...file, organization_id: randomUUID() })).rejects.toMatchObject(refusal)
    await expect(take(file, [file.id, file.id])).rejects.toMatchObject(refusal)
    await expect(take(file, [file.id, randomUUID()])).rejects.toBeInstanceOf(IntegrationError)
    expect(await noted()).toEqual([file.id])
  })

  it('stays listed if the quote that took it is rolled back', async () => {
    const file = aFile()
    await uploads.record(file, now)
    const rollback = new Error('rolled back')
    const work = database.transaction(async (transaction) => {
      await takeUploads(transaction, file.organization_id, [file.id])
      throw rollback
    })
    await expect(work).rejects.toBe(rollback)
    expect(await noted()).toEqual([file.id])
  })

  it('cannot be taken once abandoned', async () => {
    const file = aFile()
    await uploads.record(file, now)
    expect(await uploads.abandon([{ ...file, organization_id: randomUUID() }], now)).toEqual([])
    expect(await uploads.abandon([file], now)).toEqual([file])
    await expect(take(file)).rejects.toMatchObject(refusal)
    // Its bytes may still exist, so it can be abandoned again until its record is removed.
    expect(await uploads.abandon([file], now)).toEqual([file])
    await uploads.forget([{ ...file, organization_id: randomUUID() }])
    expect(await noted()).toEqual([file.id])
    await uploads.forget([file])
    expect(await noted()).toEqual([])
  })

  it('is found by age, oldest first', async () => {
    const [oldest, older, young] = [aFile(), aFile(), aFile()]
    await uploads.record(older, before(90))
    await uploads.record(young, before(10))
    await uploads.record(oldest, before(120))
    expect(await uploads.abandonBefore(before(60), 1, now)).toEqual([oldest])
    const both = await uploads.abandonBefore(before(60), 10, now)
    expect(both.map(({ id }) => id).sort()).toEqual([oldest.id, older.id].sort())
    await take(young)
  })

  it('is as old as its last record, unless abandoned', async () => {
    const [arriving, other] = [aFile(), aFile()]
    await uploads.record(arriving, before(120))
    const renew = (file: FileId) => uploads.renew(file, { isReceived: false }, before(10))
    expect(await renew({ ...arriving, organization_id: randomUUID() })).toBe(false)
    expect(await uploads.abandonBefore(before(100), 10, now)).toEqual([arriving])
    expect(await renew(arriving)).toBe(false)
    expect(await uploads.abandonBefore(before(60), 10, now)).toEqual([arriving])
    await uploads.forget([arriving])
    expect(await renew(arriving)).toBe(false)
    expect(await noted()).toEqual([])

    await uploads.record(other, before(120))
    expect(await renew(other)).toBe(true)
    expect(await uploads.abandonBefore(before(60), 10, now)).toEqual([])
    await take(other)
  })

  it('that cannot be removed delays no others', async () => {
    const [stuck, next] = [aFile(), aFile()]
    await uploads.record(stuck, before(120))
    await uploads.record(next, before(90))
    expect(await uploads.abandonBefore(before(60), 1, now)).toEqual([stuck])
    expect(await uploads.abandonBefore(before(60), 1, now)).toEqual([next])
    await uploads.forget([stuck, next])
  })

  it('is found if its bytes have no record; recorded uploads and files of quotes are kept', async () => {
    const [stray, uploaded, taken] = Array.from({ length: 3 }, () => ({
      id: idOf(before(120)),
      organization_id: randomUUID(),
    })) as [FileId, FileId, FileId]
    const young = { id: idOf(before(10)), organization_id: randomUUID() }
    for (const file of [stray, uploaded, taken, young])
      await files.put(file, inPieces(randomBytes(CHUNK + 1), CHUNK))
    await uploads.record(uploaded, before(10))
    const [quotation] = await sql`
      insert into quickquote.quotations
        (id, organization_id, name, description, status, processed_step, source, created_at, updated_at)
      values (${randomUUID()}, ${taken.organization_id}, 'x', '', 'queued', 'none', 'ui', ${now}, ${now}) returning id`
    await sql`insert into quickquote.quotation_files (id, quotation_id, position, name, type, size)
      values (${taken.id}, ${quotation?.['id']}, 0, 'a.txt', 'txt', ${CHUNK + 1})`

    await uploads.noteStrays?.(before(60), now)

    expect(await uploads.abandonBefore(before(60), 10, now)).toEqual([stray])
  })

  it('goes either to its quote or to the sweep, never to both', async () => {
    for (let round = 0; round < 20; round += 1) {
      const file = aFile()
      await uploads.record(file, before(90))
      const [quote, swept] = await Promise.allSettled([
        take(file),
        uploads.abandonBefore(before(60), 10, now),
      ])
      const wasSwept = swept.status === 'fulfilled' && swept.value.some(({ id }) => id === file.id)
      expect(swept.status).toBe('fulfilled')
      expect(quote.status === 'fulfilled').toBe(!wasSwept)
      await uploads.forget([file])
    }
  })
})
