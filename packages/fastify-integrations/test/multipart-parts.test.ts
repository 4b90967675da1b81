import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type FormBounds, type Part, readParts } from '../src/bodies/multipart-parts.ts'

const limits: FormBounds = {
  totalBytes: 1000,
  parts: 10,
  minDataRate: { graceMs: 60_000, bytesPerSecond: 1000 },
}
const FORM = { boundary: 'b', charset: null }
const BODY =
  '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--b\r\nContent-Disposition: form-data; name="b"\r\n\r\ntwo\r\n--b--\r\n'

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

async function readAll(parts: AsyncIterable<Part>): Promise<string[]> {
  const read: string[] = []
  for await (const { name, bytes } of parts) read.push(`${name}=${await buffer(bytes)}`)
  return read
}

it('stops the clock once the last part has been read', async () => {
  const before = timers()
  expect(await readAll(readParts(Readable.from([Buffer.from(BODY)]), FORM, limits))).toEqual([
    'a=one',
    'b=two',
  ])
  // The test runner has timers of its own, which may end meanwhile.
  expect(timers()).toBeLessThanOrEqual(before)
})

it('stops the clock if the body is not read to its end', async () => {
  const before = timers()
  const body = new PassThrough()
  body.write(BODY.slice(0, 100))
  for await (const { name } of readParts(body, FORM, limits)) {
    expect(name).toBe('a')
    break
  }
  body.write(BODY.slice(100))
  await new Promise((resolve) => setImmediate(resolve))
  // The test runner has timers of its own, which may end meanwhile.
  expect(timers()).toBeLessThanOrEqual(before)
})

it('stops the clock if the body breaks off', async () => {
  const before = timers()
  const body = new PassThrough()
  body.write(BODY.slice(0, 100))
  const reading = readAll(readParts(body, FORM, limits))
  setImmediate(() => body.destroy())
  await expect(reading).rejects.toMatchObject({ code: 'MALFORMED_REQUEST' })
  // The test runner has timers of its own, which may end meanwhile.
  expect(timers()).toBeLessThanOrEqual(before)
})

it('does not charge a client for the time it takes to store its data', async () => {
  const body = new PassThrough()
  const minDataRate = { graceMs: 2000, bytesPerSecond: 1_000_000 }
  body.write(BODY.slice(0, 52))
  const read: string[] = []
  for await (const { name, bytes } of readParts(body, FORM, {
    ...limits,
    totalBytes: 1_000_000,
    minDataRate,
  })) {
    for await (const chunk of bytes) {
      read.push(`${name}=${chunk.length}`)
      if (read.length > 1) continue
      // More than the parser buffers: it waits for us, and nothing waits for the client.
      body.end(Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.from('\r\n--b--\r\n')]))
      await new Promise((resolve) => setTimeout(resolve, 3000))
    }
  }
  expect(read.length).toBeGreaterThan(1)
})
