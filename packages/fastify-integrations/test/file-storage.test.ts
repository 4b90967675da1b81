import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileStorage } from '@quickquote/core'
import { docx } from '@quickquote/dev-servers/docx-samples'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Answer, type Host, openHost, useDatabase } from './support/host.ts'

const database = useDatabase()
let host: Host

afterEach(() => void vi.unstubAllEnvs())

async function serve(files?: FileStorage): Promise<void> {
  const integrations = { hookTimeoutMs: 2000, ...(files === undefined ? {} : { files }) }
  host = await openHost({ databaseUrl: database.url, integrations })
}

async function upload(): Promise<Answer> {
  const { key } = await host.createKey()
  const form = new FormData()
  form.append('files', new File([new Uint8Array(docx())], 'plan.docx'))
  const encoded = new Response(form)
  return host.call('POST', '/v1/integrations/quotations', {
    key,
    headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
    body: new Uint8Array(await encoded.arrayBuffer()),
  })
}

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body['code']]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

const store = (put: FileStorage['put']): FileStorage => ({
  put,
  async *get() {},
  async delete() {},
})

it('a host’s file store that throws is a 503 with Retry-After, and its own error is in the log', async () => {
  await serve(store(() => Promise.reject(new Error('the bucket is gone'))))
  expectUnavailable(await upload())
  expect(host.logs.join('')).toContain('the bucket is gone')
  expect(host.logs.join('')).not.toContain('AbortError')
})

it('one that fails in the middle of a docx is logged with its own error', async () => {
  await serve(
    store(async (_file, bytes) => {
      for await (const _ of bytes) throw new Error('the bucket is full')
    }),
  )
  expectUnavailable(await upload())
  expect(host.logs.join('')).toContain('the bucket is full')
  expect(host.logs.join('')).not.toContain('AbortError')
})

it('one that hangs is a 503 after hookTimeoutMs', async () => {
  await serve(store(() => new Promise(() => {})))
  expectUnavailable(await upload())
  expect(host.logs.join('')).toContain('files.put did not respond within 2000 ms')
})

it('a missing folder for temporary files is a 503 with Retry-After, and works again once it is back', async () => {
  await serve()
  vi.stubEnv('TMPDIR', join(tmpdir(), 'quickquote-missing'))
  expectUnavailable(await upload())
  vi.unstubAllEnvs()
  expect((await upload()).status).toBe(202)
})

it('a full one is a 503 with Retry-After', async ({ skip }) => {
  await serve()
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-full-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (mount.status !== 0) skip('a small file system cannot be mounted here')
  onTestFinished(() => void spawnSync('umount', [folder]))
  await writeFile(join(folder, 'filler'), Buffer.alloc(64 * 1024)).catch(() => {})
  vi.stubEnv('TMPDIR', folder)
  expectUnavailable(await upload())
})
