import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { request } from 'undici'

/** The file sizes of the forms that each client sends in turn. Small forms arrive in few packets, cut anywhere. */
const FORMS = [[4096], [1024, 1024], [1024, 10, 1, 2048, 1024]]
const AT_ONCE = 10
/** Uploads per curl process: starting one costs more than an upload. */
const CURL_BATCH = 20

interface Target {
  readonly url: string
  readonly apiKey: string
}

/** Sends a form `times` times, one by one, and returns the response statuses. */
type UploadClient = (target: Target, files: readonly string[], times: number) => Promise<readonly number[]>

/** Sends `count` small valid forms, ten at once, and returns the response statuses. */
export async function uploadAll(client: UploadClient, target: Target, count: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-uploads-'))
  try {
    const forms = await Promise.all(
      FORMS.map((sizes, index) => writeFiles(join(folder, String(index)), sizes)),
    )
    const statuses: number[] = []
    let sent = 0
    const sendNext = async () => {
      while (sent < count) {
        const times = Math.min(CURL_BATCH, count - sent)
        const files = forms[(sent / CURL_BATCH) % forms.length] ?? []
        sent += times
        statuses.push(...(await client(target, files, times)))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
    return statuses
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writeFiles(prefix: string, sizes: readonly number[]): Promise<string[]> {
  const paths = sizes.map((_, index) => `${prefix}-${index}.md`)
  await Promise.all(paths.map((path, index) => writeFile(path, 'x'.repeat(sizes[index] ?? 0))))
  return paths
}

export const CLIENTS: Readonly<Record<string, UploadClient>> = {
  fetch: oneByOne(async ({ url, apiKey }, body) => {
    const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': apiKey }, body })
    await response.arrayBuffer()
    return response.status
  }),

  undici: oneByOne(async ({ url, apiKey }, form) => {
    // As raw bytes: undici would pass a form to fetch.
    const encoded = new Response(form)
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': encoded.headers.get('content-type') ?? '' },
      body: Readable.from(encoded.body ?? []),
    })
    await body.dump()
    return statusCode
  }),

  async curl({ url, apiKey }, files, times) {
    const { stdout } = await promisify(execFile)('curl', [
      ...['--silent', '--header', `x-api-key: ${apiKey}`, '--output', '/dev/null'],
      ...['--write-out', '%{http_code}\n'],
      ...files.flatMap((file) => ['--form', `files=@${file}`]),
      `${url}?time=[1-${times}]`,
    ])
    return stdout.trim().split('\n').map(Number)
  },
}

function oneByOne(send: (target: Target, form: FormData) => Promise<number>): UploadClient {
  return async (target, files, times) => {
    const statuses: number[] = []
    for (let time = 0; time < times; time += 1) {
      const form = new FormData()
      for (const file of files) form.append('files', new Blob([await readFile(file)]), basename(file))
      statuses.push(await send(target, form))
    }
    return statuses
  }
}
